import { hashFrom, textHash } from './hashes.ts';
import { InvalidKey, InvalidNote, openNote, parseVerifierKey, type VerifierKey } from './signed-note.ts';

/** What an installation's notary has signed: the map of all accounts, in the checkpoint format of C2SP (c2sp.org/tlog-checkpoint). */
export type Checkpoint = {
  /** See `originOf`. */
  readonly origin: string;
  /** The number of accounts in the map. */
  readonly size: number;
  /** The root of the map. */
  readonly root: Buffer;
  /** The place among the checkpoints of its origin, from 1, without gaps. */
  readonly number: number;
  /** When it was signed, by the notary's clock: ISO 8601, UTC, milliseconds. */
  readonly time: string;
  /** The digest of the checkpoint before, see `checkpointDigest`; null for the first one of an origin. */
  readonly previous: string | null;
  /** The final checkpoint of the origin before; null for every checkpoint but the first one of an origin, and where there was none. */
  readonly continues: FinalCheckpoint | null;
  /** The verifier key that signs the later checkpoints; null where the key stays. */
  readonly key: string | null;
};

/** Names a checkpoint of another origin. */
export type FinalCheckpoint = { readonly origin: string; readonly number: number; readonly digest: string };

/** A text is signed, but no checkpoint. */
export class InvalidCheckpoint extends Error {}

/** Returns the origin of an installation's checkpoints: another one for each incarnation of its log. */
export const originOf = (installation: string, incarnation: string): string => `waymark/${installation}/${incarnation}`;

/** Returns the name of an installation's key: the same for all its incarnations. */
export const keyNameOf = (installation: string): string => `waymark/${installation}`;

/** Returns the text of a checkpoint, which a note signer signs. */
export const checkpointText = (checkpoint: Checkpoint): string => {
  const { origin, size, root, number, time, previous, continues, key } = checkpoint;
  const lines = [origin, size, root.toString('base64'), `number ${number}`, `time ${time}`];
  if (previous !== null) lines.push(`previous ${previous}`);
  if (continues !== null) lines.push(`continues ${continues.origin} ${continues.number} ${continues.digest}`);
  if (key !== null) lines.push(`key ${key}`);
  return lines.map((line) => `${line}\n`).join('');
};

/** Returns the digest by which another checkpoint names this one: SHA-256 of its text without the signatures, in base64. */
export const checkpointDigest = (text: string): string => textHash(text);

/** A checkpoint whose signature is verified. */
export type OpenedCheckpoint = {
  readonly checkpoint: Checkpoint;
  /** See `checkpointDigest`. */
  readonly digest: string;
  /** The trusted key that signed it. */
  readonly signedBy: VerifierKey;
};

/** Verifies the signature of a checkpoint and reads it. The keys of an installation sign and announce nothing for another one.
 * @throws InvalidNote, InvalidCheckpoint, InvalidKey where the key that it announces is none */
export const openCheckpoint = (note: string, trusted: readonly VerifierKey[]): OpenedCheckpoint => {
  const { text, key } = openNote(note, trusted);
  const checkpoint = parseCheckpoint(text);
  if (!checkpoint.origin.startsWith(`${key.name}/`)) throw new InvalidCheckpoint(`The key ${key.name} signs for the origin of another.`);
  if (checkpoint.key !== null && parseVerifierKey(checkpoint.key).name !== key.name)
    throw new InvalidCheckpoint(`The key ${key.name} announces a key of another.`);
  return { checkpoint, digest: checkpointDigest(text), signedBy: key };
};

/** Reads a checkpoint without its signature: for a process that passes notes on to readers, who verify them.
 * @throws InvalidCheckpoint, InvalidKey where the key that it announces is none */
export const readCheckpoint = (note: string): Checkpoint => parseCheckpoint(note.slice(0, note.lastIndexOf('\n\n') + 1));

/** Returns whether an error is one that `openCheckpoint` throws: its message is a sentence about the checkpoint. */
export const isRefusedCheckpoint = (error: unknown): error is Error =>
  error instanceof InvalidNote || error instanceof InvalidCheckpoint || error instanceof InvalidKey;

const parseCheckpoint = (text: string): Checkpoint => {
  const [origin = '', size, encodedRoot, ...extensions] = text.slice(0, -1).split('\n');
  const values = extensionsOf(extensions);
  const [previous, key] = [values.get('previous') ?? null, values.get('key') ?? null];
  const number = wholeNumber(values.get('number'), 'number');
  const time = values.get('time') ?? '';
  const root = hashFrom(encodedRoot);
  if (!originPattern.test(origin)) throw new InvalidCheckpoint('The origin of the checkpoint is malformed.');
  if (root === undefined) throw new InvalidCheckpoint('The root of the checkpoint is no hash in base64.');
  if (!timePattern.test(time)) throw new InvalidCheckpoint('The time of the checkpoint is malformed.');
  if (previous !== null && hashFrom(previous) === undefined)
    throw new InvalidCheckpoint('The line "previous" of the checkpoint is no hash.');
  if ((number === 1) !== (previous === null)) throw new InvalidCheckpoint('Only the first checkpoint of an origin has no line "previous".');
  if (number !== 1 && values.has('continues'))
    throw new InvalidCheckpoint('Only the first checkpoint of an origin has a line "continues".');
  if (key !== null) parseVerifierKey(key);
  return { origin, size: wholeNumber(size, 'size'), root, number, time, previous, continues: continuesOf(values.get('continues')), key };
};

const originPattern = /^[^\s+]+$/u;
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Reads the lines `name value`. Lines with other names, which a later release may add, are ignored. */
const extensionsOf = (lines: readonly string[]): ReadonlyMap<string, string> => {
  const values = new Map<string, string>();
  for (const line of lines) {
    const [, name = '', value = ''] = /^([a-z-]+) (.+)$/u.exec(line) ?? [];
    if (name === '' || values.has(name)) throw new InvalidCheckpoint('A line of the checkpoint is malformed or repeated.');
    values.set(name, value);
  }
  return values;
};

const continuesOf = (value: string | undefined): FinalCheckpoint | null => {
  if (value === undefined) return null;
  const [, origin = '', number, digest] = /^([^\s+]+) (\d+) (\S+)$/u.exec(value) ?? [];
  if (digest === undefined || hashFrom(digest) === undefined)
    throw new InvalidCheckpoint('The line "continues" of the checkpoint is malformed.');
  return { origin, number: wholeNumber(number, 'number in the line "continues"'), digest };
};

const wholeNumber = (text: string | undefined, name: string): number => {
  if (text === undefined || !/^(0|[1-9]\d*)$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw new InvalidCheckpoint(`The ${name} of the checkpoint is no whole number.`);
  return Number(text);
};
