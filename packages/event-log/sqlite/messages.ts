import type { ErasedEvent, NewEvent } from '@waymark/domain/event.ts';
import type { LogState, Position, Revision } from '../event-log.ts';

/** The data with which the writer's thread is started. */
export type WriterData = {
  readonly file: string;
  /** The path of the file with the known facts of the log; null where none is kept. */
  readonly facts: string | null;
  readonly follower: { readonly module: string; readonly options: Record<string, unknown> } | null;
};

/** A message from the main thread to the writer's thread. */
export type ToWriter = { readonly kind: 'append'; readonly appends: readonly PackedAppend[] } | Question | { readonly kind: 'close' };

/** A message that gets its own answer, with the same number. */
export type Question =
  | { readonly kind: 'tell'; readonly call: number; readonly message: unknown }
  | { readonly kind: 'prune'; readonly call: number; readonly before: string; readonly from: string }
  | { readonly kind: 'drop'; readonly call: number; readonly stream: string; readonly before: number }
  | { readonly kind: 'empty-wal'; readonly call: number }
  | { readonly kind: 'renew'; readonly call: number; readonly expected: string };

/** A message from the writer's thread to the main thread. */
export type FromWriter =
  | { readonly kind: 'opened'; readonly state: LogState }
  | ({ readonly kind: 'appended' } & AppendResults)
  | { readonly kind: 'followed'; readonly followed: Position }
  | { readonly kind: 'answer'; readonly call: number; readonly value: unknown }
  | { readonly kind: 'refusal'; readonly call: number; readonly error: Error }
  | { readonly kind: 'trouble'; readonly of: FailedPart; readonly error: Error; readonly noRoom: boolean }
  | { readonly kind: 'closed' };

/** The part that failed: the log's file, its follower, or the file with the known facts of the log. */
export type FailedPart = 'log' | 'follower' | 'facts';

/** The outcomes of one message of appends, in its order, and the positions of the log and its follower after it. */
export type AppendResults = {
  readonly outcomes: readonly Outcome[];
  readonly head: Position;
  readonly followed: Position;
};

// Tuples, not objects: they are sent between threads in half the time.
export type PackedEvent = readonly [envelope: string, salt: string | null, content: string | null];
export type PackedAppend = readonly [stream: string, expected: Revision, events: readonly PackedEvent[]];
/** The place of the last event of an append, or the outcome where it has none. */
export type Outcome = readonly [revision: number, position: Position] | 'conflict' | 'unavailable' | 'undecided';

export const pack = ({ envelope, salt, content }: NewEvent | ErasedEvent): PackedEvent => [JSON.stringify(envelope), salt, content];
