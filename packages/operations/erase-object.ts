import { accountId } from '@waymark/domain/account/decide.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { TooManyMembers } from '@waymark/domain/redaction.ts';
import { storedFileOf } from '@waymark/domain/stored-files.ts';
import { type ResourceKind, resourceKinds, resourceStream } from '@waymark/domain/streams.ts';
import { erase } from '@waymark/event-log/erasure/erase.ts';
import { NotErasable } from '@waymark/event-log/erasure/erasure-summary.ts';
import { type Dropping, type EventLog, type Position, readEventsMax } from '@waymark/event-log/event-log.ts';
import { badRequest, conflict, notFound } from '@waymark/http/errors.ts';
import type { Media } from '@waymark/media/media.ts';
import { text } from './text.ts';

/** Whose object is to forget its past. */
export type EraseOrder = { readonly kind: ResourceKind; readonly id: number /** By name. */; readonly account: string };

export type ObjectErased = {
  readonly stream: string;
  /** Of the event that says the object anew: what was before it is erased. */
  readonly revision: number;
  readonly events: number;
  readonly log: Dropping;
  /** Files that were the object's, and are no more. */
  readonly files: number;
  /** Whether the copies between log and read side are deleted, too; false where they go by themselves, within hours. */
  readonly copies: boolean;
};

export type ErasePorts = {
  readonly log: EventLog;
  readonly media: Media;
  /** Deletes copies that an account's events up to a position have outside the log and the read side. @returns whether they are deleted */
  readonly dropCopies: (account: string, through: Position) => Promise<boolean>;
};

/** Erases what an object was; what it is stays. To be asked again where it failed.
 * @throws HttpError 404 where the account has no such object, 409 where it cannot be erased; LogUnavailable, AppendUndecided, MediaUnavailable */
export const eraseObject = async ({ log, media, dropCopies }: ErasePorts, { kind, id, account }: EraseOrder): Promise<ObjectErased> => {
  const stream = resourceStream(kind, id);
  const [first] = await log.read(stream, 0);
  if (first?.envelope.account !== accountId(account)) throw notFound();
  let files = 0;
  // While it is still known which they are.
  const prepare = async (redacted: RecordedEvent): Promise<void> => {
    const names = await formerFiles(log, redacted);
    for (const name of names) await media.erase(name);
    files = names.size;
  };
  const { redacted, count, dropping } = await erase(log, stream, prepare).catch(refused);
  const copies = await dropCopies(redacted.envelope.account, redacted.position);
  return { stream, revision: redacted.revision, events: count, log: dropping, files, copies };
};

/** Names of the files that the events before one have given the object, but for the one that it has. */
const formerFiles = async (log: EventLog, redacted: RecordedEvent): Promise<ReadonlySet<string>> => {
  const names = new Set<string>();
  for (let next = 0, more = true; more; ) {
    const events = await log.read(redacted.stream, next);
    for (const event of events) {
      const file = event.revision < redacted.revision ? storedFileOf(event) : undefined;
      if (file) names.add(file.name);
    }
    next += events.length;
    more = events.length === readEventsMax && next < redacted.revision;
  }
  const present = storedFileOf(redacted);
  if (present) names.delete(present.name);
  return names;
};

const refused = (error: unknown): never => {
  throw error instanceof NotErasable || error instanceof TooManyMembers ? conflict(error.message) : error;
};

/** What the API calls an event is a happening here. */
const kinds: Readonly<Record<string, ResourceKind>> = {
  ...Object.fromEntries(resourceKinds.map((kind) => [kind, kind])),
  event: 'happening',
};

/** @throws HttpError 400 */
export const parseEraseOrder = (body: unknown): EraseOrder => {
  const account = text(body, 'account');
  const { kind: word, id } = body as { readonly kind?: unknown; readonly id?: unknown };
  const kind = typeof word === 'string' && Object.hasOwn(kinds, word) ? kinds[word] : undefined;
  if (kind === undefined) throw badRequest('kind: pinpoint, list, category or event is required');
  if (!Number.isSafeInteger(id) || (id as number) < 1) throw badRequest('id: a positive whole number is required');
  return { kind, id: id as number, account };
};
