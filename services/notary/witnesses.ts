import { setTimeout as pause } from 'node:timers/promises';
import type { CheckpointPlace } from '@waymark/checkpoints/place.ts';
import type { KnownCheckpoint, NotaryRecord } from '@waymark/checkpoints/record.ts';
import { checkpointDigest, isRefusedCheckpoint, openCheckpoint } from '@waymark/proof/checkpoint.ts';
import { parseVerifierKey } from '@waymark/proof/signed-note.ts';
import { publishedWithinMs } from './limits.ts';
import { lost, reachable } from './places.ts';
import { SigningRefused } from './refused.ts';
import { ownRecord, type Witness } from './start.ts';

/** The last checkpoints that the notary's record and the place have, and whether the log has them. */
export type Witnesses = {
  /** Compares a checkpoint of the log with them. */
  readonly see: (logged: Omit<KnownCheckpoint, 'note'>) => void;
  readonly found: () => readonly Witness[];
};

type Known = {
  readonly origin: string;
  /** The origin of the last checkpoint of the log, if it has one. */
  readonly loggedOrigin: string | undefined;
  /** The verifier keys of the notary, also its former ones. */
  readonly trusted: readonly string[];
};

type Sources = { readonly record: NotaryRecord; readonly place: CheckpointPlace | undefined } & Pick<Known, 'trusted'>;

/** Reads the last checkpoints of the origins of a log, as `readWitnesses` does. Where a log has checkpoints and the place has none, another notary may
 * be about to publish the first one: the place gets time for it.
 * @throws SigningRefused as `readWitnesses` does */
export const witnessesOf = async (
  record: NotaryRecord,
  place: CheckpointPlace | undefined,
  { origin, loggedOrigin, trusted }: Known,
): Promise<Witnesses> => {
  const read = () => readWitnesses({ record, place, trusted }, loggedOrigin === undefined ? [origin] : [origin, loggedOrigin]);
  const witnesses = await read();
  if (place === undefined || loggedOrigin === undefined || witnesses.found().length > 0) return witnesses;
  await pause(publishedWithinMs);
  return read();
};

/** Reads the last checkpoints of these origins, and of the one in the record.
 * @throws SigningRefused where the place cannot be used, or has lost what was published there */
const readWitnesses = async ({ record, place, trusted }: Sources, origins: readonly string[]): Promise<Witnesses> => {
  const found: (Omit<Witness, 'inLog'> & { inLog: Witness['inLog'] })[] = [];
  const last = record.last();
  if (last !== undefined) found.push({ name: ownRecord, ...last, isSigned: true, inLog: 'missing' });
  const intended = record.intended();
  for (const origin of new Set([...origins, ...(last === undefined ? [] : [last.origin])])) {
    const known = place && (await latestIn(place, origin, record));
    if (known !== undefined) {
      found.push({ name: place?.name ?? '', ...known, isSigned: isSigned(known.note, trusted), inLog: 'missing' });
    }
  }
  return {
    see: (logged) => {
      const { origin, number, digest } = logged;
      // A notary that was killed after its append has it in its record as intended only.
      if (digest === intended?.digest) found.push({ name: ownRecord, ...logged, isSigned: true, inLog: 'equal' });
      for (const witness of found) {
        if (witness.origin === origin && witness.number === number) witness.inLog = witness.digest === digest ? 'equal' : 'different';
      }
    },
    found: () => found.map(({ name, origin, number, digest, isSigned, inLog }) => ({ name, origin, number, digest, isSigned, inLog })),
  };
};

const latestIn = async (place: CheckpointPlace, origin: string, record: NotaryRecord): Promise<KnownCheckpoint | undefined> => {
  const published = record.published(place.name, origin);
  const latest = await reachable(() => place.latest(origin, published));
  if ((latest?.number ?? 0) < published) throw new SigningRefused(lost(place.name, published));
  if (latest === undefined) return undefined;
  return { origin, ...latest, digest: digestOf(latest.note, place.name, latest.number) };
};

const isSigned = (note: string, trusted: readonly string[]): boolean => {
  try {
    openCheckpoint(note, trusted.map(parseVerifierKey));
    return true;
  } catch (error) {
    if (!isRefusedCheckpoint(error)) throw error;
    return false;
  }
};

/** Returns the digest of a note of the place, whoever signed it: what counts first is whether the log has the same. */
const digestOf = (note: string, name: string, number: number): string => {
  const end = note.lastIndexOf('\n\n');
  if (end < 0) throw new SigningRefused(`Checkpoint ${number} in ${name} is no signed note.`);
  return checkpointDigest(note.slice(0, end + 1));
};
