import { verifiesAccount } from '../account-map.ts';
import { type Checkpoint, isRefusedCheckpoint, type OpenedCheckpoint, openCheckpoint } from '../checkpoint.ts';
import { verifiesConsistency } from '../proofs.ts';
import { parseVerifierKey, type VerifierKey } from '../signed-note.ts';
import type { EarlierRoot, ExportHeader, ProvenRoot } from './format.ts';

/** What a verifier trusts. Everything else is input. */
export type Trusted = {
  readonly keys: readonly VerifierKey[];
  /** Signed checkpoints that the verifier already has. An export must show that it continues them. */
  readonly checkpoints: readonly string[];
};

/** A root that the events of an export must give. */
export type KnownRoot = { readonly size: number; readonly root: Buffer; readonly checkpoint: Checkpoint };

export type CheckedRoots = {
  readonly findings: readonly string[];
  /** The checkpoint up to which the export goes; undefined where it is not valid. */
  readonly opened: OpenedCheckpoint | undefined;
  /** In ascending order; only those that are valid. */
  readonly roots: readonly KnownRoot[];
};

/** Verifies the checkpoints of a header, the account's place in each, and that each earlier tree is the beginning of the exported one. */
export const checkRoots = (header: ExportHeader, trusted: Trusted): CheckedRoots => {
  const findings: string[] = [];
  const report = (finding: string): void => void findings.push(finding);
  const keys = announcedKeys(header.announcements, trusted.keys, report);
  const opened = openIn(header.head.checkpoint, "The export's checkpoint", keys, report);
  const head = rootIn(header, header.head, opened, report);
  const all = opened === undefined ? [] : [opened];
  const roots: KnownRoot[] = [];
  for (const [nth, earlier] of header.earlier.entries()) {
    const openedEarlier = openIn(earlier.checkpoint, `Earlier checkpoint ${nth + 1} of the export`, keys, report);
    if (openedEarlier !== undefined) all.push(openedEarlier);
    const root = rootIn(header, earlier, openedEarlier, report);
    if (root === undefined) continue;
    if (!isBeginning(earlier, header.head))
      report(`${named(root.checkpoint)} covers a history that is not the beginning of the exported one.`);
    roots.push(root);
  }
  for (const [nth, note] of trusted.checkpoints.entries()) {
    const given = openIn(note, `Given checkpoint ${nth + 1}`, keys, report);
    if (given !== undefined && opened !== undefined) compare(given, all, opened.checkpoint, report);
  }
  roots.sort((one, other) => one.size - other.size);
  return { findings, opened, roots: head === undefined ? roots : [...roots, head] };
};

type Report = (finding: string) => void;

const named = ({ origin, number }: Checkpoint): string => `Checkpoint ${number} of ${origin}`;

const openIn = (note: string, place: string, keys: readonly VerifierKey[], report: Report): OpenedCheckpoint | undefined => {
  try {
    return openCheckpoint(note, keys);
  } catch (error) {
    if (!isRefusedCheckpoint(error)) throw error;
    report(`${place} is not valid. ${error.message}`);
    return undefined;
  }
};

/** Returns the keys that are trusted, with those that a checkpoint announces under a key that is trusted already. */
const announcedKeys = (announcements: readonly string[], given: readonly VerifierKey[], report: Report): readonly VerifierKey[] => {
  const keys = [...given];
  for (const [nth, note] of announcements.entries()) {
    const opened = openIn(note, `Announcement ${nth + 1} of a key`, keys, report);
    if (opened === undefined) continue;
    if (opened.checkpoint.key === null) report(`${named(opened.checkpoint)} announces no key.`);
    else keys.push(parseVerifierKey(opened.checkpoint.key));
  }
  return keys;
};

const rootIn = (
  { account }: ExportHeader,
  { size, root, index, path }: ProvenRoot,
  opened: OpenedCheckpoint | undefined,
  report: Report,
): KnownRoot | undefined => {
  if (opened === undefined) return undefined;
  const { checkpoint } = opened;
  if (verifiesAccount({ account, size, root }, { index, path }, checkpoint)) return { size, root, checkpoint };
  report(`${named(checkpoint)} does not cover the account ${account} with this size and root.`);
  return undefined;
};

const isBeginning = (earlier: EarlierRoot, head: ProvenRoot): boolean => verifiesConsistency(earlier, head, earlier.consistency);

/** Compares a checkpoint that the verifier already has with those of the export. */
const compare = (given: OpenedCheckpoint, all: readonly OpenedCheckpoint[], head: Checkpoint, report: Report): void => {
  const { origin, number } = given.checkpoint;
  if (all.some(({ digest }) => digest === given.digest)) return;
  const isSame = ({ checkpoint }: OpenedCheckpoint): boolean => checkpoint.origin === origin && checkpoint.number === number;
  if (all.some(isSame)) report(`${named(given.checkpoint)} was signed twice, with different texts.`);
  else if (head.origin === origin && head.number < number) report(`The export is older than the given one: ${named(given.checkpoint)}.`);
  else report(`The export has no proof that it continues the given one: ${named(given.checkpoint)}.`);
};
