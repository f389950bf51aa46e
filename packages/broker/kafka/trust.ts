import { isInstallation } from '@waymark/domain/installation.ts';
import type { KnownFacts } from '@waymark/event-log/facts/facts.ts';
import { openFacts } from '@waymark/event-log/facts/store.ts';
import type { BytesSigner, Signer } from '@waymark/signing/signer.ts';
import type { IHeaders } from 'kafkajs';
import type { PartitionRecord } from '../broker.ts';
import { decodeRecord } from './codec.ts';

/** The key and the installation that records are signed and verified with. */
export type Trust = { readonly signer: Signer; readonly installation: string };

/** Why a record is left out. `unsigned`: it has no signature, as in v0.1.0. `foreign`: it names another installation. `forged`: its
 * signature does not match this partition and value. `malformed`: it is signed, but its value is not a record. */
export type Untrusted = 'unsigned' | 'foreign' | 'forged' | 'malformed';

export type VerifiedRecord =
  | { readonly record: PartitionRecord; readonly untrusted?: never; readonly installation?: never }
  | {
      readonly record?: never;
      readonly untrusted: Untrusted /** The installation that a foreign record names. */;
      readonly installation?: string;
    };

/** The header of every record, also of a watermark: its installation, a space, and the signature over partition, installation and value.
 * v0.1.0 ignores it. A later release that adds a fact to a record gives the fact a header and a signature of its own; readers that do not
 * know it ignore it. */
const header = 'waymark';
const kind = 'kafka-record';
/** A header of some watermarks: the known facts of the log, with their own signature. Consumers of records ignore it. */
const factsHeader = 'waymark-facts';

/** What the headers of a partition's records contain: a name, which begins each of them, and a signature. */
type Mark = { readonly name: Buffer; readonly signer: BytesSigner };

/** The marks of the partitions, each prepared with the first record. */
const marks = new WeakMap<Trust, Map<number, Mark>>();

const markOf = (trust: Trust, partition: number): Mark => {
  const ofTrust = marks.get(trust) ?? new Map<number, Mark>();
  const known = ofTrust.get(partition);
  if (known) return known;
  const { installation, signer } = trust;
  const made = { name: Buffer.from(`${installation} `), signer: signer.afterTexts(kind, String(partition), installation) };
  marks.set(trust, ofTrust.set(partition, made));
  return made;
};

/** Returns the headers of a record.
 * @param facts the known facts of the log in their signed form */
export const signHeaders = (trust: Trust, partition: number, value: Buffer, facts?: string): IHeaders => ({
  [header]: `${trust.installation} ${markOf(trust, partition).signer.sign(value)}`,
  ...(facts !== undefined && { [factsHeader]: facts }),
});

/** Returns the known facts of the log that a record carries, if a process of this installation signed them. */
export const factsIn = (
  { headers }: { readonly headers?: IHeaders | undefined },
  { signer, installation }: Trust,
): KnownFacts | undefined => {
  const given = headers?.[factsHeader];
  return given === undefined || Array.isArray(given) ? undefined : openFacts(signer, installation, given.toString());
};

type Message = { readonly headers?: IHeaders | undefined; readonly key?: Buffer | null; readonly value: Buffer | null };

/** Verifies that a process of this installation wrote the records to this partition, because any writer may have. Nothing else is parsed.
 * The signatures come first: hashing and parsing in turn takes a tenth longer. */
export const verifyRecords = (messages: readonly Message[], partition: number, trust: Trust): VerifiedRecord[] => {
  const mark = markOf(trust, partition);
  const refusals = messages.map((message) => refusalOf(message, mark));
  return messages.map(({ value }, nth) => {
    const refusal = refusals[nth];
    if (refusal || value === null) return refusal ?? { untrusted: 'forged' };
    const record = decodeRecord(value, partition);
    return record ? { record } : { untrusted: 'malformed' };
  });
};

/** Returns why a record is left out whatever its value says; undefined where its signature is right. */
const refusalOf = ({ headers, key, value }: Message, { name, signer }: Mark): VerifiedRecord | undefined => {
  const given = headers?.[header];
  // v0.1.0 wrote nothing without a key and a value. A compressed batch arrives as such a record.
  if (given === undefined) return { untrusted: key === null && value === null ? 'forged' : 'unsigned' };
  // A repeated header arrives as a list.
  if (Array.isArray(given)) return { untrusted: 'forged' };
  const bytes = typeof given === 'string' ? Buffer.from(given) : given;
  if (!startsWith(bytes, name)) return refusalOfOther(bytes);
  return value !== null && signer.verify(value, bytes, name.length) ? undefined : { untrusted: 'forged' };
};

/** Compares byte by byte: for so few bytes, a call of Node's own comparison takes longer. */
const startsWith = (given: Buffer, start: Buffer): boolean => {
  for (let at = 0; at < start.length; at += 1) if (given[at] !== start[at]) return false;
  return true;
};

const space = 0x20;

/** The name is shown to operators, so only an installation id is accepted. */
const refusalOfOther = (given: Buffer): VerifiedRecord => {
  const named = given.toString('latin1', 0, Math.max(given.indexOf(space), 0));
  return isInstallation(named) ? { untrusted: 'foreign', installation: named } : { untrusted: 'forged' };
};
