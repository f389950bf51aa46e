import type { PartitionRecord } from '@waymark/broker/broker.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { partitionOf } from '@waymark/domain/partitions.ts';
import type { LogState, Position } from '@waymark/event-log/event-log.ts';
import { accountsMax } from './limits.ts';

/** The log ends before the events that were relayed from it. It was rolled back, and has not been renewed yet. */
export class LogCutShort extends Error {}

/** The last record of each partition, and the records to be sent next. */
export type RelayPartitions = {
  /** The position after which the log must be read. */
  readonly after: Position;
  /** Returns the records for the next events of the log, up to `through`, without those that a partition already has. */
  readonly next: (events: readonly RecordedEvent[], through: Position) => PartitionRecord[];
  /** Returns watermarks for all partitions without an event since the last call. They report how far the log was read and the position of
   * the last record, so that a partition that has lost that record learns so. */
  readonly watermarks: () => PartitionRecord[];
  /** Returns the position up to which the log was read. */
  readonly reached: () => Position;
  /** Returns the position of the last record of each partition. */
  readonly positions: () => readonly Position[];
};

/** The last record of a partition. */
type LastSent = { readonly position: Position; readonly eventId: string };

/** Creates the state of the partitions.
 * @param last the last record of each partition, after which it resumes. A partition without one, or with one of another log, starts at the
 * log's head: a reader that needs earlier events reads the log itself.
 * @throws LogCutShort */
export const createRelayPartitions = ({ incarnation, head }: LogState, last: readonly (PartitionRecord | undefined)[]): RelayPartitions => {
  const lastSent = last.map((record) => resumed(record, incarnation, head));
  const busy = new Set<number>();
  const find = partitionFinder(lastSent.length);
  let reached: Position = 0;

  const tell = (partition: number, to: LastSent, event: RecordedEvent | null): PartitionRecord => {
    const { position: previous } = lastSent[partition] as LastSent;
    lastSent[partition] = to;
    return { partition, incarnation, position: to.position, previous, eventId: to.eventId, event };
  };
  return {
    after: Math.min(...lastSent.map(({ position }) => position)),
    next: (events, through) => {
      const records: PartitionRecord[] = [];
      for (const event of events) {
        const partition = find(event.envelope.account);
        if (event.position <= (lastSent[partition] as LastSent).position) continue;
        busy.add(partition);
        records.push(tell(partition, { position: event.position, eventId: event.envelope.id }, event));
      }
      reached = Math.max(reached, through);
      return records;
    },
    watermarks: () => {
      const idle = [...lastSent.keys()].filter((partition) => !busy.has(partition));
      busy.clear();
      return idle.map((partition) => {
        const { position, eventId } = lastSent[partition] as LastSent;
        return tell(partition, { position: Math.max(position, reached), eventId }, null);
      });
    },
    reached: () => reached,
    positions: () => lastSent.map(({ position }) => position),
  };
};

const resumed = (last: PartitionRecord | undefined, incarnation: string, head: Position): LastSent => {
  if (last === undefined || last.incarnation !== incarnation) return { position: head, eventId: '' };
  if (last.position <= head) return { position: last.position, eventId: last.eventId };
  throw new LogCutShort(`Partition ${last.partition} has a record of position ${last.position}, but the log ends at ${head}.`);
};

/** Caches the partitions of accounts, to avoid a hash for every event. */
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
