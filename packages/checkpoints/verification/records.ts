import type { RecordedEvent } from '@waymark/domain/event.ts';
import { checkpointsStream } from '@waymark/domain/streams.ts';
import type { EventLog, Position } from '@waymark/event-log/event-log.ts';
import { readEvents } from '@waymark/event-log/read-stream.ts';
import { type Checkpoint, isRefusedCheckpoint, type OpenedCheckpoint, openCheckpoint } from '@waymark/proof/checkpoint.ts';
import { parseVerifierKey, type VerifierKey } from '@waymark/proof/signed-note.ts';
import { loggedCheckpointIn } from '../logged.ts';
import { comparedMax } from './limits.ts';
import type { Published } from './published.ts';

/** What a log is compared with. */
export type Evidence = {
  /** The origin of the log's checkpoints. */
  readonly origin: string;
  /** The verifier keys to trust, as text. Others are trusted once a checkpoint under one of them announces them. */
  readonly keys: readonly string[];
  /** Null where checkpoints are published nowhere: then the log is compared only with the checkpoints that it records itself. */
  readonly published: Published | null;
  /** The last position of the log before the keys were read. Checkpoints without a key count only up to there: a notary writes its key before
   * it signs for the first time. */
  readonly before: Position;
};

/** Why a log is compared with no checkpoint: the end of a sentence. */
export const noKey = "the notary's public key is not known.";

/** A checkpoint of the log's origin, and up to where the log says that it goes. A wrong position is found: the roots differ there. */
export type ComparableCheckpoint = {
  readonly checkpoint: OpenedCheckpoint;
  readonly through: Position;
  /** The place of the record in the log. */
  readonly place: string;
};

export const named = ({ number, time }: Checkpoint): string => `checkpoint ${number} (${time})`;

type Report = (fault: string) => void;

/** Reads the checkpoints that a log records, and yields those to compare it with, in the order of the log. A checkpoint is taken from the place
 * where it is published; the record in the log only says up to where it goes. Reports published checkpoints that the log does not record.
 * @param end the last position of the log that counts */
export async function* checkpointsToCompare(
  log: Pick<EventLog, 'read' | 'lastRevisions'>,
  { origin, keys: given, published }: Evidence,
  end: Position,
  report: Report,
): AsyncGenerator<ComparableCheckpoint> {
  const keys = given.map(parseVerifierKey);
  const [last = 'none'] = await log.lastRevisions([checkpointsStream]);
  const step = last === 'none' ? 1 : Math.ceil((last + 1) / comparedMax);
  const isChosen = ({ revision }: RecordedEvent): boolean => revision % step === 0 || revision === last;
  const awaited = new Map(published?.checkpoints.map(({ number, note }) => [number, note]));
  for await (const event of readEvents(log.read, checkpointsStream)) {
    if (event.position > end) break;
    const place = `${event.stream}, revision ${event.revision}`;
    const signed = loggedCheckpointIn(event);
    if (signed === undefined) {
      report(`${place}: it records no checkpoint.`);
      continue;
    }
    const about = lookInto(signed.note);
    if (about.announces) trustAnnounced(signed.note, keys);
    if (about.origin !== origin) continue;
    const note = awaited.get(about.number);
    if (note === undefined && !(about.number > (published?.latest ?? 0) && isChosen(event))) continue;
    awaited.delete(about.number);
    if (note !== undefined && note !== signed.note)
      report(`${place}: it records another checkpoint than the published one of number ${about.number}.`);
    const checkpoint = open(note ?? signed.note, { origin, number: about.number }, keys, report);
    if (checkpoint !== undefined) yield { checkpoint, through: signed.through, place };
  }
  reportAwaited(awaited, { origin, keys }, report);
}

/** Reads what is needed of a note before its signature is verified. */
const lookInto = (note: string) => ({
  origin: note.slice(0, note.indexOf('\n')),
  number: Number(/\nnumber (\d+)\n/.exec(note)?.[1] ?? 0),
  announces: /\nkey /.test(note),
});

const trustAnnounced = (note: string, keys: VerifierKey[]): void => {
  try {
    const { key } = openCheckpoint(note, keys).checkpoint;
    if (key !== null) keys.push(parseVerifierKey(key));
  } catch (error) {
    // An earlier key that is no longer trusted has announced it.
    if (!isRefusedCheckpoint(error)) throw error;
  }
};

type Expected = Pick<Checkpoint, 'origin' | 'number'>;

const open = (note: string, expected: Expected, keys: readonly VerifierKey[], report: Report): OpenedCheckpoint | undefined => {
  try {
    const opened = openCheckpoint(note, keys);
    const { origin, number } = opened.checkpoint;
    if (origin === expected.origin && number === expected.number) return opened;
    report(`The checkpoint that is published as ${expected.number} is ${number} of ${origin}.`);
  } catch (error) {
    if (!isRefusedCheckpoint(error)) throw error;
    report(`Checkpoint ${expected.number} is not valid. ${error.message}`);
  }
  return undefined;
};

/** Reports the published checkpoints that the log does not record: the first and the last. */
const reportAwaited = (
  awaited: ReadonlyMap<number, string>,
  { origin, keys }: { readonly origin: string; readonly keys: readonly VerifierKey[] },
  report: Report,
): void => {
  const ends = [...awaited].filter((_, nth, { length }) => nth === 0 || nth === length - 1);
  for (const [number, note] of ends) {
    const opened = open(note, { origin, number }, keys, report);
    if (opened !== undefined) report(`The log has no record of ${named(opened.checkpoint)}, which is published.`);
  }
};
