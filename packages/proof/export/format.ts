import type { RecordedEvent } from '@waymark/domain/event.ts';
import { isStoredEvent } from '@waymark/domain/recorded-event.ts';
import { canonicalJson } from '../canonical-json.ts';
import { hashFrom } from '../hashes.ts';

/** An export is NDJSON: a line with the header, then a line for each event. Each line is canonical JSON, so that no byte can change unnoticed.
 * docs/internals/proofs.md describes it for authors of other verifiers. */
export const exportFormat = 'waymark-audit-export-1';

/** The tree of the account at a checkpoint: its size and root, and its place in the checkpoint's map. */
export type ProvenRoot = {
  /** The signed note. */
  readonly checkpoint: string;
  readonly size: number;
  readonly root: Buffer;
  readonly index: number;
  readonly path: readonly Buffer[];
};

/** The tree at an earlier checkpoint. `consistency` proves that it is the beginning of the exported tree. */
export type EarlierRoot = ProvenRoot & { readonly consistency: readonly Buffer[] };

export type ExportHeader = {
  readonly account: string;
  /** The stream of the object; null in an account's export. */
  readonly object: string | null;
  /** Signed checkpoints that announce keys, in order. */
  readonly announcements: readonly string[];
  /** The tree up to which the export goes. */
  readonly head: ProvenRoot;
  /** Earlier trees, in ascending order: those of checkpoints that the reader has, and the final ones of former origins. */
  readonly earlier: readonly EarlierRoot[];
};

export type ExportedEvent = Omit<RecordedEvent, 'position'> & {
  /** In an object's export, the place of the event in the account's tree, and its inclusion proof; null in an account's export. */
  readonly inclusion: { readonly index: number; readonly path: readonly Buffer[] } | null;
};

/** Limits of a header: the announced keys, and the earlier trees. */
const announcementsMax = 1_000;
const earlierMax = 1_000;
/** No proof has more hashes: a tree has fewer than 2^53 leaves. */
const proofHashesMax = 54;

/** Returns the first line of an export, without a newline. */
export const headerLine = ({ account, object, announcements, head, earlier }: ExportHeader): string =>
  canonicalJson({
    account,
    announcements,
    earlier: earlier.map(({ consistency, ...root }) => ({ ...storedRoot(root), consistency: consistency.map(toBase64) })),
    format: exportFormat,
    head: storedRoot(head),
    object,
  });

/** Returns the line of an event, without a newline. */
export const eventLine = ({ stream, revision, envelope, salt, content, inclusion }: ExportedEvent): string =>
  canonicalJson({
    ...{ stream, revision, envelope, salt, content },
    ...(inclusion === null ? {} : { index: inclusion.index, path: inclusion.path.map(toBase64) }),
  });

/** Returns a tree as an export has it, as a value of JSON. */
export const storedRoot = ({ checkpoint, size, root, index, path }: ProvenRoot) => ({
  ...{ checkpoint, size, index },
  root: toBase64(root),
  path: path.map(toBase64),
});

const toBase64 = (hash: Buffer): string => hash.toString('base64');

/** Returns undefined for a text that is no header of this format. */
export const parseHeader = (line: string): ExportHeader | undefined => {
  const value = parseLine(line);
  if (value === undefined || value['format'] !== exportFormat) return undefined;
  if (!hasOnly(value, ['account', 'announcements', 'earlier', 'format', 'head', 'object'])) return undefined;
  const { account, object, announcements, earlier } = value;
  const head = rootIn(value['head'], []);
  if (typeof account !== 'string' || (object !== null && typeof object !== 'string') || head === undefined) return undefined;
  if (!isListOf(announcements, announcementsMax, isText) || !isListOf(earlier, earlierMax, isObject)) return undefined;
  const roots = earlier.map(earlierIn);
  return roots.every((root) => root !== undefined) ? { account, object, announcements, head, earlier: roots } : undefined;
};

/** Returns undefined for a text that is no event of an export.
 * @param isProven whether events have an inclusion proof */
export const parseEvent = (line: string, isProven: boolean): ExportedEvent | undefined => {
  const value = parseLine(line);
  const names = ['stream', 'revision', 'envelope', 'salt', 'content', ...(isProven ? ['index', 'path'] : [])];
  if (value === undefined || !hasOnly(value, names)) return undefined;
  const event = { ...value, position: 0 };
  if (!isStoredEvent(event) || !isSalt(event.salt) || event.content?.isWellFormed() === false) return undefined;
  const { stream, revision, envelope, salt, content } = event;
  if (!isProven) return { stream, revision, envelope, salt, content, inclusion: null };
  const [index, path] = [value['index'], hashesIn(value['path'])];
  return isWhole(index) && path !== undefined ? { stream, revision, envelope, salt, content, inclusion: { index, path } } : undefined;
};

type Members = Readonly<Record<string, unknown>>;

/** Returns the object in a line of canonical JSON, and undefined for any other text. */
const parseLine = (line: string): Members | undefined => {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) && canonicalJson(value) === line ? value : undefined;
  } catch {
    return undefined;
  }
};

const hasOnly = (value: Members, names: readonly string[]): boolean =>
  Object.keys(value).length === names.length && names.every((name) => Object.hasOwn(value, name));

const earlierIn = (value: unknown): EarlierRoot | undefined => {
  const root = rootIn(value, ['consistency']);
  const consistency = isObject(value) ? hashesIn(value['consistency']) : undefined;
  return root && consistency && { ...root, consistency };
};

const rootIn = (value: unknown, others: readonly string[]): ProvenRoot | undefined => {
  if (!isObject(value) || !hasOnly(value, ['checkpoint', 'size', 'root', 'index', 'path', ...others])) return undefined;
  const { checkpoint, size, index } = value;
  const [root, path] = [hashFrom(value['root']), hashesIn(value['path'])];
  if (!isText(checkpoint) || !isWhole(size) || !isWhole(index) || root === undefined || path === undefined) return undefined;
  return { checkpoint, size, root, index, path };
};

const hashesIn = (value: unknown): readonly Buffer[] | undefined => {
  if (!isListOf(value, proofHashesMax, isText)) return undefined;
  const hashes = value.map(hashFrom);
  return hashes.every((hash) => hash !== undefined) ? hashes : undefined;
};

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isListOf = <Item>(value: unknown, itemsMax: number, isItem: (item: unknown) => item is Item): value is readonly Item[] =>
  Array.isArray(value) && value.length <= itemsMax && value.every(isItem);

/** Returns whether base64url text has one form only. */
const isSalt = (salt: string | null): boolean => salt === null || Buffer.from(salt, 'base64url').toString('base64url') === salt;
