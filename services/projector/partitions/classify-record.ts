import type { PartitionRecord } from '@waymark/broker/broker.ts';
import type { ReadPosition } from '@waymark/read-models/read-models.ts';

/** How a record relates to the position of its partition. */
export type Verdict =
  /** Everything in the record was applied before. */
  | 'duplicate'
  /** No event is missing before the record: it can be applied. */
  | 'next'
  /** Events before the record are missing. */
  | 'gap'
  /** The record comes from another log than the read models. Only the log can show which of the two is current. */
  | 'foreign'
  /** The read models were built from a log that no longer exists. */
  | 'outdated'
  /** Record and read models are at the same position after different events: the read models are no prefix of the log. */
  | 'diverged';

/** Applies the rule that keeps all read models an exact prefix of the log, whatever Kafka loses, repeats or reorders.
 * @param log the incarnation of the log, read after the record was received; undefined if it was not read yet */
export const classifyRecord = (record: PartitionRecord, reached: ReadPosition, log: string | undefined): Verdict => {
  if (record.incarnation !== reached.incarnation) return classifyForeign(reached, log);
  if (record.position < reached.position) return 'duplicate';
  if (record.position === reached.position) return namesLastEvent(record, reached) ? 'duplicate' : 'diverged';
  if (record.previous > reached.position) return 'gap';
  return record.event !== null || namesLastEvent(record, reached) ? 'next' : 'diverged';
};

const classifyForeign = (reached: ReadPosition, log: string | undefined): Verdict => {
  if (log === undefined) return 'foreign';
  return log === reached.incarnation ? 'duplicate' : 'outdated';
};

/** Whether the record names the same last event as the partition. A sender that does not know the event names none. */
const namesLastEvent = ({ eventId }: PartitionRecord, { event }: ReadPosition): boolean => eventId === '' || eventId === event;

/** Returns the position of the partition after the record is applied. */
export const positionAfter = (record: PartitionRecord, reached: ReadPosition): ReadPosition => ({
  incarnation: reached.incarnation,
  position: record.position,
  event: record.event?.envelope.id ?? reached.event,
});
