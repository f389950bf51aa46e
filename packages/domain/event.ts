import type { AccountEvent } from './account/events.ts';
import type { ApplicationEvent } from './application/events.ts';
import type { CategoryEvent } from './category/events.ts';
import type { HappeningEvent } from './happening/events.ts';
import type { ListEvent } from './list/events.ts';
import type { PinpointEvent } from './pinpoint/events.ts';

/** A fact about one aggregate. What follows from it for others is computed by the projection, never recorded.
 * Stored: never rename a type or a field. EVENTS.md publishes these shapes, and event-shapes.ts checks them on reading. */
export type DomainEvent = PinpointEvent | ListEvent | CategoryEvent | HappeningEvent | ApplicationEvent | AccountEvent;

/** Who recorded what, when and why: no personal data, kept for good. Stored and sent: never rename a field. EVENTS.md publishes them, event-gate.ts
 * checks them, and digests cover their names. */
export type Envelope = {
  /** UUID, fixed before the first try to append. */
  readonly id: string;
  readonly type: string;
  readonly version: number;
  /** Id of the account whose order the event belongs to; empty for housekeeping. */
  readonly account: string;
  /** Id of the application that asked for it, or `operator`. */
  readonly actor: string;
  /** Id of the token that carried the request (never the token, nor its hash). */
  readonly token: string | null;
  readonly request: string | null;
  readonly correlation: string;
  /** Id of the event that made this one happen. */
  readonly cause: string | null;
  /** ISO 8601, UTC, milliseconds. */
  readonly time: string;
  /** The release of Waymark that wrote it. */
  readonly release: string;
  /** SHA-256 over salt and content, base64url. */
  readonly commitment: string;
  /** True when sanitising changed what was sent. */
  readonly sanitized: boolean;
};

/** An event ready to be appended. `content` is JSON text: its UTF-8 octets are what the commitment covers. `salt`: 16 random bytes, base64url. */
export type NewEvent = { readonly envelope: Envelope; readonly salt: string; readonly content: string };

/** An event of another log, whose content was erased there. */
export type ErasedEvent = { readonly envelope: Envelope; readonly salt: null; readonly content: null };

/** An event as the log keeps it. Salt and content are null once they were erased. */
export type RecordedEvent = {
  readonly stream: string;
  /** Place in its stream, from 0. */
  readonly revision: number;
  /** Place in the log, from 1, rising, with gaps. */
  readonly position: number;
  readonly envelope: Envelope;
  readonly salt: string | null;
  readonly content: string | null;
};
