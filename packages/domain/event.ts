import type { AccountEvent } from './account/events.ts';
import type { ApplicationEvent } from './application/events.ts';
import type { CategoryEvent } from './category/events.ts';
import type { ChangesetEvent } from './changeset/events.ts';
import type { HappeningEvent } from './happening/events.ts';
import type { ListEvent } from './list/events.ts';
import type { OrderEvent } from './orders/events.ts';
import type { PinpointEvent } from './pinpoint/events.ts';
import type { UndoEvent } from './undo/events.ts';

/** A fact about one aggregate. The projection computes the consequences for other objects; they are never recorded. Stored: never rename a
 * type or a field. EVENTS.md publishes these shapes, and event-shapes.ts checks them on reading. */
export type DomainEvent =
  | PinpointEvent
  | ListEvent
  | CategoryEvent
  | HappeningEvent
  | ApplicationEvent
  | AccountEvent
  | ChangesetEvent
  | OrderEvent
  | UndoEvent;

/** The metadata of an event: who recorded what, when and why. It contains no personal data and is kept forever. Stored and sent: never
 * rename a field. EVENTS.md publishes the fields, event-gate.ts checks them, and digests cover their names. */
export type Envelope = {
  /** A UUID, generated before the first try to append. */
  readonly id: string;
  readonly type: string;
  readonly version: number;
  /** The id of the account whose partition the event belongs to; empty for housekeeping. */
  readonly account: string;
  /** The id of the application that sent the request, or `operator`. */
  readonly actor: string;
  /** The id of the token of the request (never the token, nor its hash). */
  readonly token: string | null;
  /** The id of the request if it is a UUID, or else a keyed hash of it. Up to release 0.2.0, the id as the client sent it. */
  readonly request: string | null;
  /** The same for all events of one operation. A UUID; up to release 0.2.0, the id of the request or of the event. */
  readonly correlation: string;
  /** The id of the event that caused this one. */
  readonly cause: string | null;
  /** ISO 8601, UTC, milliseconds. */
  readonly time: string;
  /** The release of Waymark that wrote it. */
  readonly release: string;
  /** SHA-256 over salt and content, in base64url. */
  readonly commitment: string;
  /** True if sanitising changed the content of the request. */
  readonly sanitized: boolean;
};

/** An event ready to be appended. `content` is JSON text; the commitment covers its UTF-8 bytes. `salt`: 16 random bytes, in base64url. */
export type NewEvent = { readonly envelope: Envelope; readonly salt: string; readonly content: string };

/** An event from another log in which its content was erased. */
export type ErasedEvent = { readonly envelope: Envelope; readonly salt: null; readonly content: null };

/** An event as the log stores it. Salt and content are null once they are erased. */
export type RecordedEvent = {
  readonly stream: string;
  /** The place in its stream, from 0. */
  readonly revision: number;
  /** The place in the log, from 1, ascending, with gaps. */
  readonly position: number;
  readonly envelope: Envelope;
  readonly salt: string | null;
  readonly content: string | null;
};

export type EventWithoutContent = Omit<RecordedEvent, 'salt' | 'content'>;
