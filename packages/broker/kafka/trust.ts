import { isInstallation } from '@waymark/domain/installation.ts';
import type { KnownFacts } from '@waymark/event-log/facts/facts.ts';
import { openFacts } from '@waymark/event-log/facts/store.ts';
import type { Signer } from '@waymark/signing/signer.ts';
import type { IHeaders } from 'kafkajs';
import type { PartitionRecord } from '../broker.ts';
import { decodeRecord } from './codec.ts';

/** Signs and verifies records of one installation. */
export type Trust = { readonly signer: Signer; readonly installation: string };

/** Why a record is left out. `unsigned`: it has no signature, as those of v0.1.0. `foreign`: it names another installation. `forged`: its signature
 * is not one of this partition and value. `malformed`: it is signed, and no record. */
export type Untrusted = 'unsigned' | 'foreign' | 'forged' | 'malformed';

export type VerifiedRecord =
  | { readonly record: PartitionRecord; readonly untrusted?: never; readonly installation?: never }
  | { readonly record?: never; readonly untrusted: Untrusted /** Of a foreign one. */; readonly installation?: string };

/** The header of every record, also of a watermark: its installation, a space, and the signature over partition, installation and value. v0.1.0 ignores
 * it. A later release that adds a fact to a record gives it a header and a signature of its own: readers that do not know it pass over it. */
const header = 'waymark';
const kind = 'kafka-record';
/** Of some watermarks: what is known of the log, signed for itself. Whoever follows records passes over it. */
const factsHeader = 'waymark-facts';

/** @param facts what is known of the log, as it is signed */
export const signHeaders = ({ signer, installation }: Trust, partition: number, value: Buffer, facts?: string): IHeaders => ({
  [header]: `${installation} ${signer.sign(kind, String(partition), installation, value)}`,
  ...(facts !== undefined && { [factsHeader]: facts }),
});

/** What a record brings that is known of the log, if a process of this installation has signed it. */
export const factsIn = (
  { headers }: { readonly headers?: IHeaders | undefined },
  { signer, installation }: Trust,
): KnownFacts | undefined => {
  const given = headers?.[factsHeader];
  return given === undefined || Array.isArray(given) ? undefined : openFacts(signer, installation, given.toString());
};

/** What a partition holds, if a process of this installation wrote it there: anybody may have. Nothing else is parsed. */
export const verifyRecord = (
  { headers, value }: { readonly headers?: IHeaders | undefined; readonly value: Buffer | null },
  partition: number,
  { signer, installation }: Trust,
): VerifiedRecord => {
  const given = headers?.[header];
  if (given === undefined) return { untrusted: 'unsigned' };
  // A header that is there more than once comes as a list.
  const text = Array.isArray(given) ? '' : given.toString('latin1');
  const space = text.indexOf(' ');
  const named = text.slice(0, Math.max(space, 0));
  // It is shown to operators: nothing else may be in it.
  if (named !== installation) return isInstallation(named) ? { untrusted: 'foreign', installation: named } : { untrusted: 'forged' };
  if (value === null || !signer.verify(text.slice(space + 1), kind, String(partition), installation, value)) return { untrusted: 'forged' };
  const record = decodeRecord(value, partition);
  return record ? { record } : { untrusted: 'malformed' };
};
