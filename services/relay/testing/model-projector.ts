import type { PartitionRecord } from '@waymark/broker/broker.ts';
import type { FakeLog } from './fake-log.ts';
import type { FakeRecords } from './fake-records.ts';

/** Applies records by the rule of all read models: records that they have are skipped, the next ones are applied, and the events in a gap
 * are read from the log. */
export type ModelProjector = {
  /** The ids of the applied events, by partition. */
  readonly applied: readonly string[][];
  readonly positions: readonly number[];
  /** The number of gaps that were filled from the log. */
  readonly gaps: () => number;
  readonly take: (records: readonly PartitionRecord[]) => void;
  /** Consumes the records of the partitions from the last offset. `whim` moves the offset as Kafka might: backward or forward. */
  readonly consume: (records: FakeRecords, whim?: (partition: number) => number) => void;
};

export const modelProjector = (log: FakeLog, partitions: number): ModelProjector => {
  const applied: string[][] = Array.from({ length: partitions }, () => []);
  const positions = applied.map(() => 0);
  const offsets = applied.map(() => 0);
  let gaps = 0;

  const takeOne = ({ partition, previous, position, event }: PartitionRecord): void => {
    const reached = positions[partition] as number;
    if (position <= reached) return;
    const events = previous <= reached ? (event === null ? [] : [event]) : log.of(partition, reached, position);
    if (previous > reached) gaps += 1;
    applied[partition]?.push(...events.map(({ envelope }) => envelope.id));
    positions[partition] = position;
  };
  return {
    applied,
    positions,
    gaps: () => gaps,
    take: (records) => records.forEach(takeOne),
    consume: (records, whim = () => 0) => {
      for (const [partition, all] of records.partitions.entries()) {
        // An offset beyond the end is invalid: consumption restarts at the beginning.
        const offset = (offsets[partition] as number) > all.length ? 0 : (offsets[partition] as number);
        const from = Math.max(0, Math.min(all.length, offset + whim(partition)));
        all.slice(from).forEach(takeOne);
        offsets[partition] = all.length;
      }
    },
  };
};
