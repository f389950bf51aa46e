import { isRecordedEvent } from '@waymark/domain/event-gate.ts';
import type { PartitionRecord } from './records.ts';

export const encoded = (record: PartitionRecord): Buffer => Buffer.from(JSON.stringify(record));

/** What a value says, if it is a record of the partition. */
export const decoded = (value: Buffer, partition: number): PartitionRecord | undefined => {
  const record = parsed(value);
  return isRecord(record) && record.partition === partition ? record : undefined;
};

const parsed = (value: Buffer): unknown => {
  try {
    return JSON.parse(value.toString());
  } catch {
    return undefined;
  }
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;
const isText = (value: unknown): value is string => typeof value === 'string';
const isPosition = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const isRecord = (value: unknown): value is PartitionRecord =>
  isObject(value) &&
  isPosition(value.partition) &&
  isText(value.incarnation) &&
  value.incarnation !== '' &&
  isPosition(value.position) &&
  isPosition(value.previous) &&
  value.previous <= value.position &&
  isText(value.eventId) &&
  (value.event === null ||
    (isRecordedEvent(value.event) && value.event.position === value.position && value.event.envelope.id === value.eventId));
