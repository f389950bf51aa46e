import type { ErasedEvent, NewEvent } from '@waymark/domain/event.ts';
import type { LogState, Position, Revision } from '../event-log.ts';

/** What the writer's thread is started with. */
export type WriterData = {
  readonly file: string;
  /** Where what is known of the log is kept; null: nowhere. */
  readonly facts: string | null;
  readonly follower: { readonly module: string; readonly options: Record<string, unknown> } | null;
};

/** What the main thread says to the writer's thread. */
export type ToWriter = { readonly kind: 'append'; readonly appends: readonly PackedAppend[] } | Question | { readonly kind: 'close' };

/** What is answered by itself, by its number. */
export type Question =
  | { readonly kind: 'tell'; readonly call: number; readonly message: unknown }
  | { readonly kind: 'prune'; readonly call: number; readonly before: string; readonly from: string }
  | { readonly kind: 'drop'; readonly call: number; readonly stream: string; readonly before: number }
  | { readonly kind: 'empty-wal'; readonly call: number }
  | { readonly kind: 'renew'; readonly call: number; readonly expected: string };

/** What the writer's thread says to the main thread. */
export type FromWriter =
  | { readonly kind: 'opened'; readonly state: LogState }
  | ({ readonly kind: 'appended' } & Appendeds)
  | { readonly kind: 'followed'; readonly followed: Position }
  | { readonly kind: 'answer'; readonly call: number; readonly value: unknown }
  | { readonly kind: 'refusal'; readonly call: number; readonly error: Error }
  | { readonly kind: 'trouble'; readonly of: Trouble; readonly error: Error; readonly noRoom: boolean }
  | { readonly kind: 'closed' };

/** What failed: the log's file, its follower, or the file of what is known of the log. */
export type Trouble = 'log' | 'follower' | 'facts';

/** The answers to one message of appends, in its order; where the log and its follower stand after it. */
export type Appendeds = {
  readonly outcomes: readonly Outcome[];
  readonly head: Position;
  readonly followed: Position;
};

// Tuples, not objects: they cross between threads in half the time.
export type PackedEvent = readonly [envelope: string, salt: string | null, content: string | null];
export type PackedAppend = readonly [stream: string, expected: Revision, events: readonly PackedEvent[]];
/** Where the last event of an append came to stand, or what became of it instead. */
export type Outcome = readonly [revision: number, position: Position] | 'conflict' | 'unavailable' | 'undecided';

export const pack = ({ envelope, salt, content }: NewEvent | ErasedEvent): PackedEvent => [JSON.stringify(envelope), salt, content];
