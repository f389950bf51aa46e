import type { RecordedEvent } from '@waymark/domain/event.ts';
import { dryUndoStream, prunedStream, requestStream, tokenStream, undoingStream } from '@waymark/domain/streams.ts';
import type { EventLog, Position, Revision } from '@waymark/event-log/event-log.ts';
import { readEnd } from '@waymark/event-log/read-stream.ts';
import { scan } from '@waymark/event-log/scan.ts';
import { sealHousekeeping, waymark } from '@waymark/event-log/seal.ts';
import type { ExpiredBefore } from '@waymark/operations/housekeeping.ts';
import { type Truncate, truncateEach } from './truncation.ts';

type DroppingOptions = { readonly log: EventLog; readonly truncate: Truncate };

/** The number of events that one run drops; the next run continues with the rest. */
const droppedMax = 100_000;
/** The number of events after which a run records its progress even if it dropped none. */
const notedEvery = 10_000;

/** Drops the tokens, the claims, the dry runs of undo jobs and the notes of such jobs that were recorded before a time, continuing where the last run ended. An expiry set with each append would
 * double the appends that a request waits for. Concurrent or repeated runs do no harm.
 * @returns the number of dropped events
 * @throws LogUnavailable, AppendUndecided */
export const dropExpired = async (
  { log, truncate }: DroppingOptions,
  { beforeMs, signal, most = droppedMax }: ExpiredBefore & { readonly most?: number },
): Promise<number> => {
  const [{ head }, reached] = [await log.state(), await readReached(log)];
  let [through, dropped, read] = [reached.through, 0, 0];
  const enough = new AbortController();
  const drop = async (batch: readonly RecordedEvent[]): Promise<void> => {
    const end = batch.findIndex(({ envelope }) => Date.parse(envelope.time) >= beforeMs);
    const old = end < 0 ? batch : batch.slice(0, end);
    const expired = old.filter(expires);
    await truncateEach(truncate, expired);
    dropped += expired.length;
    read += old.length;
    through = old.at(-1)?.position ?? through;
    if (end >= 0 || dropped >= most) enough.abort();
  };
  await scan(log, { after: through, through: head }, drop, AbortSignal.any([signal, enough.signal]));
  // A short range without expired events is read again by the next run, so that an idle log is not written to.
  if (dropped > 0 || read >= notedEvery) await log.append(prunedStream, [pruned(through)], reached.revision);
  return dropped;
};

const prefixes: readonly string[] = [tokenStream, requestStream, dryUndoStream, undoingStream].map((streamOf) => streamOf(''));

const expires = ({ stream }: RecordedEvent): boolean => prefixes.some((prefix) => stream.startsWith(prefix));

const readReached = async (log: EventLog): Promise<{ readonly through: Position; readonly revision: Revision }> => {
  const { revision, event } = await readEnd(log, prunedStream);
  const stored: StoredProgress = JSON.parse(event?.content ?? '{"through":0}');
  return { through: stored.through, revision };
};

/** The content of `ExpiredDropped`. Stored: never rename. */
type StoredProgress = { readonly through: number };

const toStored = (reached: Position): StoredProgress => ({ through: reached });

const pruned = (through: Position) => sealHousekeeping({ type: 'ExpiredDropped', version: 1, content: toStored(through), origin: waymark });
