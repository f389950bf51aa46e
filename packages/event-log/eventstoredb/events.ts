import type { BinaryEventData, EventType, RecordedEvent as StoredEvent } from '@eventstore/db-client';
import type { Envelope, ErasedEvent, NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { appendBytesMax, appendEventsMax, envelopeBytesMax } from './limits.ts';

/** The metadata of an event. Stored: never rename, and keep the order. The envelope is stored as it is. */
type StoredMetadata = {
  /** The version of this metadata. Waymark did not write an event without it. */
  readonly waymark: 1;
  readonly salt: string | null;
  readonly envelope: Envelope;
};

/** An event that Waymark wrote cannot be read: a later release wrote it, or it is damaged. */
export class UnreadableEvent extends Error {
  constructor(event: StoredEvent) {
    super(`Event ${event.id}, revision ${event.revision} of ${event.streamId}, cannot be read.`);
  }
}

const utf8 = new TextEncoder();

/** Converts events to the form that the store keeps. The bytes of the content become the event's data unchanged; declared as JSON, the
 * library would serialise them again. Flawed ids and types must never reach the server: it answers them twice, and that ends this process.
 * @throws RangeError where events are invalid or too large */
export const toStoredEvents = (events: readonly (NewEvent | ErasedEvent)[]): BinaryEventData[] => {
  if (events.length === 0 || events.length > appendEventsMax) throw new RangeError(`One append has 1 to ${appendEventsMax} events.`);
  const data = events.map(storedEvent);
  if (bytesIn(data) > appendBytesMax) throw new RangeError(`One append has at most ${appendBytesMax} bytes of content.`);
  return data;
};

export const bytesIn = (events: readonly BinaryEventData[]): number => events.reduce((sum, { data }) => sum + data.length, 0);

const toStored = (event: NewEvent | ErasedEvent): StoredMetadata => ({ waymark: 1, salt: event.salt, envelope: event.envelope });

const storedEvent = (event: NewEvent | ErasedEvent): BinaryEventData => {
  const { id, type } = event.envelope;
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) || /^[0-]+$/.test(id)) throw new RangeError('An event id is not a UUID.');
  if (!/^[A-Za-z][\w.-]{0,99}$/.test(type)) throw new RangeError('An event type is not valid.');
  const metadata = utf8.encode(JSON.stringify(toStored(event)));
  if (metadata.length > envelopeBytesMax) throw new RangeError(`An envelope has at most ${envelopeBytesMax} bytes.`);
  return { id, type, contentType: 'application/octet-stream', data: utf8.encode(event.content ?? ''), metadata };
};

/** Checks the name of a stream. The server crashes on a stream called `$$`, and reserves names that begin with `$`.
 * @throws RangeError */
export const checkStream = (stream: string): void => {
  if (!/^[a-z][\w.~-]{0,249}$/.test(stream)) throw new RangeError('A stream name is not valid.');
};

export const isSystem = ({ streamId }: StoredEvent): boolean => streamId.startsWith('$');

/** Converts an event of the store; returns undefined where Waymark did not write it.
 * @throws UnreadableEvent */
export const fromStoredEvent = <Type extends EventType>(event: StoredEvent<Type>): RecordedEvent | undefined => {
  const { streamId, revision, position, data } = event;
  const metadata: unknown = event.metadata;
  if (isSystem(event) || !isRecord(metadata) || !('waymark' in metadata)) return undefined;
  if (position === undefined || !(data instanceof Uint8Array) || !isMetadata(metadata, event)) throw new UnreadableEvent(event);
  return {
    stream: streamId,
    revision: toSafeInteger(revision),
    position: toSafeInteger(position.commit),
    envelope: metadata.envelope,
    salt: metadata.salt,
    content: metadata.salt === null ? null : Buffer.from(data.buffer, data.byteOffset, data.length).toString(),
  };
};

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isMetadata = (value: Record<string, unknown>, { id, type }: StoredEvent): value is Record<string, unknown> & StoredMetadata => {
  const { waymark, salt, envelope } = value;
  return (
    waymark === 1 && (salt === null || typeof salt === 'string') && isRecord(envelope) && envelope['id'] === id && envelope['type'] === type
  );
};

/** Converts a position or a revision to a number. The library returns them as bigints, which no other code should meet. */
export const toSafeInteger = (value: bigint): number => {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${value} is too large for a number.`);
  return number;
};
