import type { PartitionRecord } from '@waymark/broker/broker.ts';
import type { FakeLog } from './fake-log.ts';
import type { FakeRecords } from './fake-records.ts';

/** Takes in records by the rule that every read side goes by: what it has is skipped, what follows is applied, and what lies between is read
 * from the log. */
export type ModelProjector = {
  /** Ids of the events applied, by partition. */
  readonly applied: readonly string[][];
  readonly positions: readonly number[];
  /** How many gaps were filled from the log. */
  readonly gaps: () => number;
  readonly take: (records: readonly PartitionRecord[]) => void;
  /** Consumes what the partitions have, from where it was; `whim` decides what Kafka makes of that: steps back in the records, or forward. */
  readonly consume: (records: FakeRecords, whim?: (partition: number) => number) => void;
};

export const modelProjector = (log: FakeLog, partitions: number): ModelProjector => {
  const applied: string[][] = Array.from({ length: partitions }, () => []);
  const positions = applied.map(() => 0);
  const offsets = applied.map(() => 0);
  let gaps = 0;

  const takeOne = ({ partition, previous, position, event }: PartitionRecord): void => {
    const stands = positions[partition] as number;
    if (position <= stands) return;
    const events = previous <= stands ? (event === null ? [] : [event]) : log.of(partition, stands, position);
    if (previous > stands) gaps += 1;
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
        // An offset beyond the end is none: it begins anew.
        const offset = (offsets[partition] as number) > all.length ? 0 : (offsets[partition] as number);
        const from = Math.max(0, Math.min(all.length, offset + whim(partition)));
        all.slice(from).forEach(takeOne);
        offsets[partition] = all.length;
      }
    },
  };
};
