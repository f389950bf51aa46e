import type { PartitionRecord } from '@waymark/broker/broker.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { partitionOf } from '@waymark/domain/partitions.ts';
import type { LogState, Position } from '@waymark/event-log/event-log.ts';
import { accountsMax } from './limits.ts';

/** The log ends before what was relayed of it: it was put back to an earlier state, and has yet to be given another name. */
export class LogCutShort extends Error {}

/** What every partition was told, and what it is to be told next. */
export type RelayPartitions = {
  /** The log is to be read from here. */
  readonly after: Position;
  /** The records of what the log has next, up to `through`; none of what a partition was told before. */
  readonly next: (events: readonly RecordedEvent[], through: Position) => PartitionRecord[];
  /** Records without an event for all partitions that had none since this was asked last: how far they were read, and what they were told
   * last, so that a partition that has lost it learns so. */
  readonly watermarks: () => PartitionRecord[];
  /** The log was read up to here. */
  readonly reached: () => Position;
  /** What each partition was told of last. */
  readonly positions: () => readonly Position[];
};

/** What a partition was told last. */
type Told = { readonly position: Position; readonly eventId: string };

/** @param last the last record of each partition: from there it goes on. A partition without one, or with one of another log, begins at the
 * log's head: whoever needs what lies before reads the log itself.
 * @throws LogCutShort */
export const createRelayPartitions = ({ incarnation, head }: LogState, last: readonly (PartitionRecord | undefined)[]): RelayPartitions => {
  const told = last.map((record) => resumed(record, incarnation, head));
  const busy = new Set<number>();
  const find = partitionFinder(told.length);
  let reached: Position = 0;

  const tell = (partition: number, to: Told, event: RecordedEvent | null): PartitionRecord => {
    const { position: previous } = told[partition] as Told;
    told[partition] = to;
    return { partition, incarnation, position: to.position, previous, eventId: to.eventId, event };
  };
  return {
    after: Math.min(...told.map(({ position }) => position)),
    next: (events, through) => {
      const records: PartitionRecord[] = [];
      for (const event of events) {
        const partition = find(event.envelope.account);
        if (event.position <= (told[partition] as Told).position) continue;
        busy.add(partition);
        records.push(tell(partition, { position: event.position, eventId: event.envelope.id }, event));
      }
      reached = Math.max(reached, through);
      return records;
    },
    watermarks: () => {
      const idle = [...told.keys()].filter((partition) => !busy.has(partition));
      busy.clear();
      return idle.map((partition) => {
        const { position, eventId } = told[partition] as Told;
        return tell(partition, { position: Math.max(position, reached), eventId }, null);
      });
    },
    reached: () => reached,
    positions: () => told.map(({ position }) => position),
  };
};

const resumed = (last: PartitionRecord | undefined, incarnation: string, head: Position): Told => {
  if (last === undefined || last.incarnation !== incarnation) return { position: head, eventId: '' };
  if (last.position <= head) return { position: last.position, eventId: last.eventId };
  throw new LogCutShort(`Partition ${last.partition} was told of position ${last.position}, and the log ends at ${head}.`);
};

/** Remembers what a hash would have to tell anew for every event. */
const partitionFinder = (partitions: number): ((account: string) => number) => {
  const known = new Map<string, number>();
  return (account) => {
    const found = known.get(account);
    if (found !== undefined) return found;
    if (known.size >= accountsMax) known.clear();
    const partition = partitionOf(account, partitions);
    known.set(account, partition);
    return partition;
  };
};
