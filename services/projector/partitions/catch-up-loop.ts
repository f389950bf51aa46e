import type { PartitionRecord } from '@waymark/broker/broker.ts';
import { createLogThrottle } from '@waymark/cluster-runtime/log-throttle.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { partitionOf } from '@waymark/domain/partitions.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import { createBackOff } from '@waymark/timing/back-off.ts';
import { failurePauses, scanIdleMs } from '../limits.ts';
import type { HistoryBatch } from '../ports.ts';
import { heldUpTo, needsLog } from './partition-state.ts';
import type { ProjectionContext } from './projection-context.ts';

/** Creates the only loop that reads the log. One scan serves all partitions that miss events. */
export const createCatchUpLoop = async (context: ProjectionContext): Promise<void> => {
  const pauses = createBackOff(failurePauses, context.signal);
  const generation = context.generation.name;
  const tell = createLogThrottle((error) =>
    context.logger.warn({ err: error, generation }, 'the missing events cannot be read from the log; retrying'),
  );
  while (!context.signal.aborted) {
    const moved = context.roundSignal.next();
    if (!context.partitionStates.some(needsLog)) {
      await moved;
      continue;
    }
    try {
      const positionsRead = await scan(context);
      pauses.reset();
      if (positionsRead > 0) continue;
    } catch (error) {
      tell(error);
    }
    await pauses.pause();
  }
};

/** Reads the log from the lowest position after which a partition misses events, until no partition needs the next ones.
 * @returns the number of positions that were read */
const scan = async (context: ProjectionContext): Promise<number> => {
  const { log, partitionStates, end, stats } = context;
  const wanting = partitionStates.filter(needsLog);
  const { incarnation, head } = await log.state();
  if (wanting.some(({ reached }) => reached?.incarnation !== incarnation)) {
    end('outdated');
    return 0;
  }
  if (wanting.some((partitionState) => heldUpTo(partitionState) > head))
    throw new Error(`The log ends at ${head}, before the position that the read models have reached.`);
  const from = Math.min(...wanting.map(heldUpTo));
  stats.totals.scans += 1;
  let cursor = from;
  let idleSinceMs = performance.now();
  const scanAbort = new AbortController();
  // At the head of the log, the read would wait for an event that one partition expects, although another partition misses an earlier one
  // or no partition needs the log any more.
  const idleTimer = setInterval(() => {
    if (performance.now() - idleSinceMs >= scanIdleMs && (!isWanted(context, cursor) || isWantedBelow(context, cursor))) scanAbort.abort();
  }, scanIdleMs);
  const processBatch = async ({ events, through }: HistoryBatch): Promise<void> => {
    idleSinceMs = Number.POSITIVE_INFINITY;
    const before = cursor;
    distribute(context, events, { incarnation, before, through });
    cursor = through;
    // This batch is applied while the next one is read. Memory holds two batches at most.
    await untilApplied(context, before);
    if (!isWanted(context, cursor)) scanAbort.abort();
    idleSinceMs = performance.now();
  };
  await log
    .subscribeToHistory(from, processBatch, AbortSignal.any([context.signal, scanAbort.signal]))
    .finally(() => clearInterval(idleTimer));
  return cursor - from;
};

type LogRange = { readonly incarnation: string; readonly before: Position; readonly through: Position };

/** Gives each partition that needs it its own events of a range of the log, and the end of the range. */
const distribute = (
  { partitionStates, workSignal, partitions }: ProjectionContext,
  events: readonly RecordedEvent[],
  { incarnation, before, through }: LogRange,
): void => {
  const receivers = partitionStates.filter(
    (partitionState) => needsLog(partitionState) && heldUpTo(partitionState) >= before && heldUpTo(partitionState) < through,
  );
  const records = new Map(receivers.map(({ partition }): [number, PartitionRecord[]] => [partition, []]));
  for (const event of events) {
    const partition = partitionOf(event.envelope.account, partitions);
    const own = records.get(partition);
    own?.push({ ...link(partition, incarnation, own, before), position: event.position, eventId: event.envelope.id, event });
  }
  for (const partitionState of receivers) {
    const own = records.get(partitionState.partition) ?? [];
    const end = { ...link(partitionState.partition, incarnation, own, before), position: through, eventId: '', event: null };
    partitionState.fromLog.push(...own, ...(end.previous < through ? [end] : []));
  }
  workSignal.wake();
};

const link = (partition: number, incarnation: string, own: readonly PartitionRecord[], before: Position) => ({
  partition,
  incarnation,
  previous: own.at(-1)?.position ?? before,
});

/** Resolves when all events up to a position are applied, except those of blocked partitions. */
const untilApplied = async ({ partitionStates, roundSignal, signal }: ProjectionContext, upTo: Position): Promise<void> => {
  for (;;) {
    const next = roundSignal.next();
    const isPending = partitionStates.some(({ blocked, fromLog: [first] }) => !blocked && first !== undefined && first.position <= upTo);
    if (!isPending || signal.aborted) return;
    await next;
  }
};

/** Whether a partition needs the events right after a position. */
const isWanted = ({ partitionStates }: ProjectionContext, cursor: Position): boolean =>
  partitionStates.some((partitionState) => needsLog(partitionState) && heldUpTo(partitionState) <= cursor);

const isWantedBelow = ({ partitionStates }: ProjectionContext, cursor: Position): boolean =>
  partitionStates.some((partitionState) => needsLog(partitionState) && heldUpTo(partitionState) < cursor);
