import type { PartitionRecord } from '@waymark/broker/broker.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { partitionOf } from '@waymark/domain/partitions.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import { scanIdleMs } from '../limits.ts';
import { createLogThrottle } from '../log-throttle.ts';
import type { Passed } from '../ports.ts';
import { createBackoff } from './backoff.ts';
import { heldTo, needsLog } from './partition-state.ts';
import type { Work } from './work.ts';

/** Creates the only loop that reads the log. One scan serves all partitions that miss events. */
export const createCatchUpLoop = async (work: Work): Promise<void> => {
  const pauses = createBackoff(work.signal);
  const generation = work.generation.name;
  const tell = createLogThrottle((error) =>
    work.logger.warn({ err: error, generation }, 'the missing events cannot be read from the log; retrying'),
  );
  while (!work.signal.aborted) {
    const moved = work.moved.rung();
    if (!work.lanes.some(needsLog)) {
      await moved;
      continue;
    }
    try {
      const came = await scan(work);
      pauses.wentWell();
      if (came > 0) continue;
    } catch (error) {
      tell(error);
    }
    await pauses.pause();
  }
};

/** Reads the log from the lowest position after which a partition misses events, until no partition needs the next ones.
 * @returns the number of positions that were read */
const scan = async (work: Work): Promise<number> => {
  const { log, lanes, end, figures } = work;
  const wanting = lanes.filter(needsLog);
  const { incarnation, head } = await log.state();
  if (wanting.some(({ stands }) => stands?.incarnation !== incarnation)) {
    end('outdated');
    return 0;
  }
  if (wanting.some((lane) => heldTo(lane) > head))
    throw new Error(`The log ends at ${head}, before the position that the read models have reached.`);
  const from = Math.min(...wanting.map(heldTo));
  figures.totals.scans += 1;
  let cursor = from;
  let idleSinceMs = performance.now();
  const scanning = new AbortController();
  // At the head of the log, the read would wait for an event that one partition expects, although another partition misses an earlier one
  // or no partition needs the log any more.
  const idling = setInterval(() => {
    if (performance.now() - idleSinceMs >= scanIdleMs && (!isWanted(work, cursor) || isWantedBelow(work, cursor))) scanning.abort();
  }, scanIdleMs);
  const take = async ({ events, through }: Passed): Promise<void> => {
    idleSinceMs = Number.POSITIVE_INFINITY;
    const before = cursor;
    handOut(work, events, { incarnation, before, through });
    cursor = through;
    // This batch is applied while the next one is read. Memory holds two batches at most.
    await applied(work, before);
    if (!isWanted(work, cursor)) scanning.abort();
    idleSinceMs = performance.now();
  };
  await log.history(from, take, AbortSignal.any([work.signal, scanning.signal])).finally(() => clearInterval(idling));
  return cursor - from;
};

type Stretch = { readonly incarnation: string; readonly before: Position; readonly through: Position };

/** Gives each partition that needs it its own events of a range of the log, and the end of the range. */
const handOut = (
  { lanes, arrived, partitions }: Work,
  events: readonly RecordedEvent[],
  { incarnation, before, through }: Stretch,
): void => {
  const riding = lanes.filter((lane) => needsLog(lane) && heldTo(lane) >= before && heldTo(lane) < through);
  const records = new Map(riding.map(({ partition }): [number, PartitionRecord[]] => [partition, []]));
  for (const event of events) {
    const partition = partitionOf(event.envelope.account, partitions);
    const own = records.get(partition);
    own?.push({ ...link(partition, incarnation, own, before), position: event.position, eventId: event.envelope.id, event });
  }
  for (const lane of riding) {
    const own = records.get(lane.partition) ?? [];
    const end = { ...link(lane.partition, incarnation, own, before), position: through, eventId: '', event: null };
    lane.fill.push(...own, ...(end.previous < through ? [end] : []));
  }
  arrived.ring();
};

const link = (partition: number, incarnation: string, own: readonly PartitionRecord[], before: Position) => ({
  partition,
  incarnation,
  previous: own.at(-1)?.position ?? before,
});

/** Resolves when all events up to a position are applied, except those of blocked partitions. */
const applied = async ({ lanes, moved, signal }: Work, upTo: Position): Promise<void> => {
  for (;;) {
    const next = moved.rung();
    const isPending = lanes.some(({ standing, fill: [first] }) => !standing && first !== undefined && first.position <= upTo);
    if (!isPending || signal.aborted) return;
    await next;
  }
};

/** Whether a partition needs the events right after a position. */
const isWanted = ({ lanes }: Work, cursor: Position): boolean => lanes.some((lane) => needsLog(lane) && heldTo(lane) <= cursor);

const isWantedBelow = ({ lanes }: Work, cursor: Position): boolean => lanes.some((lane) => needsLog(lane) && heldTo(lane) < cursor);
