import type { PartitionRecord } from '@waymark/broker/broker.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { type ModelLog, modelPartitions } from './model-log.ts';

/** Tells what a log has as records, as the relay does: each names the one before it in its partition. */
export type ModelRelay = {
  /** What came in a partition since it was asked last. */
  readonly events: (partition: number) => readonly PartitionRecord[];
  /** That nothing came up to the log's head since the partition's last event: where that was not asked for, it was sent and is lost. */
  readonly watermark: (partition: number) => PartitionRecord;
};

export const modelRelay = (log: ModelLog): ModelRelay => {
  const told = Array.from({ length: modelPartitions }, () => 0);
  const record = (partition: number, position: number, event: RecordedEvent | null): PartitionRecord => {
    const previous = told[partition] as number;
    told[partition] = position;
    const last = log.eventsOf(partition).findLast((one) => one.position <= position);
    return { partition, incarnation: log.incarnation(), position, previous, eventId: last?.envelope.id ?? '', event };
  };
  const events = (partition: number): readonly PartitionRecord[] => {
    const from = told[partition] as number;
    return log
      .eventsOf(partition)
      .filter(({ position }) => position > from)
      .map((event) => record(partition, event.position, event));
  };
  return {
    events,
    watermark: (partition) => {
      events(partition);
      return record(partition, log.head(), null);
    },
  };
};
