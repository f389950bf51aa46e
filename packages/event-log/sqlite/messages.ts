import type { MessagePort } from 'node:worker_threads';
import type { ErasedEvent, NewEvent } from '@waymark/domain/event.ts';
import type { CallAnswer, Numbered } from '@waymark/threads/calls.ts';
import type { AppendOptions, Position, Revision } from '../event-log.ts';

/** The data with which the writer's thread is started. */
export type WriterData = {
  readonly file: string;
  /** The path of the file with the known facts of the log; null where none is kept. */
  readonly facts: string | null;
  readonly follower: { readonly module: string; readonly options: Record<string, unknown> } | null;
  /** The memory of the `SharedState`. */
  readonly memory: SharedArrayBuffer;
};

/** A message to the writer's thread. Only the main thread connects the port of another thread, and closes the log. */
export type ToWriter =
  | { readonly kind: 'append'; readonly appends: readonly PackedAppend[] }
  | Numbered<Question>
  | { readonly kind: 'connect'; readonly port: MessagePort }
  | { readonly kind: 'close' };

/** The streams that expire, each as a whole: the claims of idempotency keys, the refused requests of an account and day, dry runs of undo jobs, and
 * notes of how far undo jobs are. */
export type Expiring = 'claims' | 'refusals' | 'dry-runs' | 'notes';

/** A message that gets an answer of its own. */
export type Question =
  | { readonly kind: 'tell'; readonly message: unknown }
  | { readonly kind: 'prune'; readonly of: Expiring; readonly before: string; readonly from: string }
  | { readonly kind: 'drop'; readonly stream: string; readonly before: number }
  | { readonly kind: 'empty-wal' }
  | { readonly kind: 'renew'; readonly expected: string }
  /** Answered once the appends that the writer has accepted are settled. */
  | { readonly kind: 'settle' };

/** A message from the writer's thread. */
export type FromWriter =
  | { readonly kind: 'opened' }
  /** The outcomes of one message of appends, in its order. */
  | { readonly kind: 'appended'; readonly outcomes: readonly Outcome[] }
  /** The log or its follower has moved. Sent while a thread listens, unless it gets outcomes at that moment. */
  | { readonly kind: 'moved' }
  | CallAnswer
  | { readonly kind: 'trouble'; readonly of: FailedPart; readonly error: Error; readonly noRoom: boolean }
  | { readonly kind: 'closed' };

/** The part that failed: the log's file, its follower, the file with the known facts of the log, or the clock of the machine. */
export type FailedPart = 'log' | 'follower' | 'facts' | 'clock';

// Tuples, not objects: they are sent between threads in half the time.
export type PackedEvent = readonly [envelope: string, salt: string | null, content: string | null];
/** `sealedMs`: the time of the first event, in milliseconds since 1970; null if the events keep their times, however old these are. */
export type PackedAppend = readonly [stream: string, expected: Revision, events: readonly PackedEvent[], sealedMs: number | null];
/** The place of the last event of an append, or the outcome where it has none. */
export type Outcome = readonly [revision: number, position: Position] | 'conflict' | 'unavailable' | 'undecided';

/** Packs an append of at least one event. */
export const packAppend = (
  stream: string,
  expected: Revision,
  events: readonly (NewEvent | ErasedEvent)[],
  { imported = false }: AppendOptions,
): PackedAppend => [stream, expected, events.map(pack), imported ? null : Date.parse(events[0]?.envelope.time ?? '')];

const pack = ({ envelope, salt, content }: NewEvent | ErasedEvent): PackedEvent => [JSON.stringify(envelope), salt, content];
