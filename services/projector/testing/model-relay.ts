import type { PartitionRecord } from '@waymark/broker/broker.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { type ModelLog, modelPartitions } from './model-log.ts';

/** Delivers the events of a log as records, as the relay does: each names its predecessor in its partition. */
export type ModelRelay = {
  /** Returns the records of a partition since the last call. */
  readonly events: (partition: number) => readonly PartitionRecord[];
  /** Returns a watermark up to the head of the log. Earlier events of the partition that were not fetched count as sent and lost. */
  readonly watermark: (partition: number) => PartitionRecord;
};

export const modelRelay = (log: ModelLog): ModelRelay => {
  const sentUpTo = Array.from({ length: modelPartitions }, () => 0);
  const record = (partition: number, position: number, event: RecordedEvent | null): PartitionRecord => {
    const previous = sentUpTo[partition] as number;
    sentUpTo[partition] = position;
    const last = log.eventsOf(partition).findLast((one) => one.position <= position);
    return { partition, incarnation: log.incarnation(), position, previous, eventId: last?.envelope.id ?? '', event };
  };
  const events = (partition: number): readonly PartitionRecord[] => {
    const from = sentUpTo[partition] as number;
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
