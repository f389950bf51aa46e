import { isStoredEvent } from '@waymark/domain/recorded-event.ts';
import { fromStoredEvent, type StoredEvent, toStoredEvent } from '@waymark/domain/stored-event.ts';
import type { PartitionRecord } from '../broker.ts';

/** A `PartitionRecord` as the value of a Kafka record. It is sent and signed: never rename a field, and keep the order. */
type RecordMessage = {
  readonly partition: number;
  readonly incarnation: string;
  readonly position: number;
  readonly previous: number;
  readonly eventId: string;
  readonly event: StoredEvent | null;
};

export const encoded = (record: PartitionRecord): Buffer => Buffer.from(JSON.stringify(toMessage(record)));

/** Decodes a value; undefined where it is not a record of the partition. */
export const decodeRecord = (value: Buffer, partition: number): PartitionRecord | undefined => {
  const message = parseJson(value);
  return isMessage(message) && message.partition === partition ? fromMessage(message) : undefined;
};

const toMessage = (record: PartitionRecord): RecordMessage => ({
  partition: record.partition,
  incarnation: record.incarnation,
  position: record.position,
  previous: record.previous,
  eventId: record.eventId,
  event: record.event && toStoredEvent(record.event),
});

const fromMessage = (message: RecordMessage): PartitionRecord => ({
  partition: message.partition,
  incarnation: message.incarnation,
  position: message.position,
  previous: message.previous,
  eventId: message.eventId,
  event: message.event && fromStoredEvent(message.event),
});

const parseJson = (value: Buffer): unknown => {
  try {
    return JSON.parse(value.toString());
  } catch {
    return undefined;
  }
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;
const isText = (value: unknown): value is string => typeof value === 'string';
const isPosition = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const isMessage = (value: unknown): value is RecordMessage =>
  isObject(value) &&
  isPosition(value.partition) &&
  isText(value.incarnation) &&
  value.incarnation !== '' &&
  isPosition(value.position) &&
  isPosition(value.previous) &&
  value.previous <= value.position &&
  isText(value.eventId) &&
  (value.event === null ||
    (isStoredEvent(value.event) && value.event.position === value.position && value.event.envelope.id === value.eventId));
