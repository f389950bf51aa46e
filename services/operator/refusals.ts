import { prunedRefusalsStream } from '@waymark/domain/streams.ts';
import type { EventLog, Position, Revision } from '@waymark/event-log/event-log.ts';
import type { EventStoreLog } from '@waymark/event-log/eventstoredb/event-log.ts';
import { readEnd } from '@waymark/event-log/read-stream.ts';
import { sealHousekeeping, waymark } from '@waymark/event-log/seal.ts';
import type { ExpiredBefore } from '@waymark/operations/housekeeping.ts';
import { type Truncate, truncateEach } from './truncation.ts';

type DroppingOptions = {
  readonly log: Pick<EventLog, 'append' | 'read' | 'lastRevisions' | 'state'>;
  readonly subscribeToRefusals: EventStoreLog['subscribeToRefusals'];
  readonly truncate: Truncate;
};

/** The number of events that one run drops; the next run continues with the rest. */
const droppedMax = 100_000;
/** How far a run that dropped nothing has to get until it records its progress. The next run reads a shorter range again, so that an idle
 * log is not written to. */
const notedAfterBytes = 16 * 1024 * 1024;

/** Drops the refused requests that were recorded before a time, continuing where the last run ended. Concurrent or repeated runs do no harm.
 * @returns the number of dropped events
 * @throws LogUnavailable, AppendUndecided */
export const dropRefusals = async (options: DroppingOptions, { beforeMs, signal }: ExpiredBefore): Promise<number> => {
  const { log, subscribeToRefusals, truncate } = options;
  const [{ head }, reached] = [await log.state(), await readReached(log)];
  if (head <= reached.through) return 0;
  let [through, dropped] = [reached.through, 0];
  const enough = new AbortController();
  const handle: Parameters<typeof subscribeToRefusals>[1] = async ({ events, through: passed }) => {
    const end = events.findIndex(({ envelope }) => Date.parse(envelope.time) >= beforeMs);
    const expired = end < 0 ? events : events.slice(0, end);
    await truncateEach(truncate, expired);
    dropped += expired.length;
    through = end < 0 ? passed : (expired.at(-1)?.position ?? through);
    if (end >= 0 || passed >= head || dropped >= droppedMax) enough.abort();
  };
  await subscribeToRefusals(through, handle, AbortSignal.any([signal, enough.signal]));
  if (dropped > 0 || through - reached.through >= notedAfterBytes) {
    await log.append(prunedRefusalsStream, [sealReached(through)], reached.revision);
  }
  return dropped;
};

const readReached = async (log: DroppingOptions['log']): Promise<{ readonly through: Position; readonly revision: Revision }> => {
  const { revision, event } = await readEnd(log, prunedRefusalsStream);
  const stored: StoredProgress = JSON.parse(event?.content ?? '{"through":0}');
  return { through: stored.through, revision };
};

/** The content of `RefusalsDropped`. Stored: never rename. */
type StoredProgress = { readonly through: number };

const toStored = (reached: Position): StoredProgress => ({ through: reached });

const sealReached = (through: Position) =>
  sealHousekeeping({ type: 'RefusalsDropped', version: 1, content: toStored(through), origin: waymark });
