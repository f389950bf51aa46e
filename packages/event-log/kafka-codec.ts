import { isRecordedEvent } from '@waymark/domain/event-gate.ts';
import type { PartitionRecord } from './records.ts';

export const encoded = (record: PartitionRecord): Buffer => Buffer.from(JSON.stringify(record));

/** What a partition gave us, if it is a record of ours: anybody may have written there. */
export const decoded = (value: Buffer | null, partition: number): PartitionRecord | undefined => {
  const record = parsed(value);
  return isRecord(record) && record.partition === partition ? record : undefined;
};

const parsed = (value: Buffer | null): unknown => {
  try {
    return value === null ? undefined : JSON.parse(value.toString());
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
