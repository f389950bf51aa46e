import type { Envelope, RecordedEvent } from './event.ts';

/** An event in a Kafka record, in a line of an export, and in a request of an import. Stored and sent: never rename. */
export type StoredEvent = {
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  /** Stored unchanged: EVENTS.md lists its fields, and digests cover all of them, including those of a later release. */
  readonly envelope: Envelope;
  readonly salt: string | null;
  readonly content: string | null;
};

export const toStoredEvent = (event: RecordedEvent): StoredEvent => ({
  stream: event.stream,
  revision: event.revision,
  position: event.position,
  envelope: event.envelope,
  salt: event.salt,
  content: event.content,
});

export const fromStoredEvent = (stored: StoredEvent): RecordedEvent => ({
  stream: stored.stream,
  revision: stored.revision,
  position: stored.position,
  envelope: stored.envelope,
  salt: stored.salt,
  content: stored.content,
});
