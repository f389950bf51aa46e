import type { PartitionRecord } from '@waymark/broker/broker.ts';
import type { ReadPosition } from '@waymark/read-models/read-models.ts';

/** What a record is to a partition that stands where it does. */
export type Verdict =
  /** Everything that it says was applied before. */
  | 'duplicate'
  /** Nothing lies between: it can be applied. */
  | 'next'
  /** What lies between is not there yet. */
  | 'gap'
  /** It comes from another log than the read side was made from: which of the two counts is the log's to say. */
  | 'foreign'
  /** The read side was made from a log that is no more. */
  | 'outdated'
  /** Both stand at the same place, after different events: the read side is no prefix of the log. */
  | 'diverged';

/** The rule that makes every read side an exact prefix of the log, whatever Kafka loses, repeats or reorders.
 * @param log incarnation that the log had after the record was received; undefined while nobody asked */
export const classifyRecord = (record: PartitionRecord, stands: ReadPosition, log: string | undefined): Verdict => {
  if (record.incarnation !== stands.incarnation) return judgeForeign(stands, log);
  if (record.position < stands.position) return 'duplicate';
  if (record.position === stands.position) return agrees(record, stands) ? 'duplicate' : 'diverged';
  if (record.previous > stands.position) return 'gap';
  return record.event !== null || agrees(record, stands) ? 'next' : 'diverged';
};

const judgeForeign = (stands: ReadPosition, log: string | undefined): Verdict => {
  if (log === undefined) return 'foreign';
  return log === stands.incarnation ? 'duplicate' : 'outdated';
};

/** Whether both name the same event as the partition's last. Who does not know it names none. */
const agrees = ({ eventId }: PartitionRecord, { event }: ReadPosition): boolean => eventId === '' || eventId === event;

/** Where the partition stands once the record is applied. */
export const after = (record: PartitionRecord, stands: ReadPosition): ReadPosition => ({
  incarnation: stands.incarnation,
  position: record.position,
  event: record.event?.envelope.id ?? stands.event,
});
