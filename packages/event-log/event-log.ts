import type { ErasureSummary } from '@waymark/domain/erasure-summary.ts';
import type { ErasedEvent, NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { Unavailable } from '@waymark/domain/unavailable.ts';

/** The place of an event in the log. Positions increase, with gaps; 0 is before the first event. */
export type Position = number;

/** The revision of a stream's last event, or `none` where the stream has no event. */
export type Revision = number | 'none';

export const nextRevision = (revision: Revision): number => (revision === 'none' ? 0 : revision + 1);

export type Appended =
  | { readonly outcome: 'appended'; readonly revision: number; readonly position: Position }
  /** Nothing was written. */
  | { readonly outcome: 'conflict' };

/** The log cannot be reached or cannot write: nothing was appended. */
export class LogUnavailable extends Unavailable {}

/** An append was interrupted: the events may have been written. The caller finds out by reading the stream for their ids. */
export class AppendUndecided extends Unavailable {
  override readonly isUndecided = true;
}

/** How events are appended. */
export type AppendOptions = {
  /** True if another installation has recorded the events: they keep their times, however old these are. */
  readonly imported?: boolean;
};

/** The identity of a log, and how far it reaches. */
export type LogState = {
  /** The random name of the log. It is given when the log is created, and renewed when a backup is restored. */
  readonly incarnation: string;
  /** The random id of the installation. It is given once to a log that has none, and never renewed: a restored backup is the same
   * installation. It is empty only in a file of v0.1.0 that was never opened for writing. */
  readonly installation: string;
  /** The position of the last event of any stream; 0 in an empty log. */
  readonly head: Position;
};

/** What happened to the erased bytes. `overwritten`: the log's files do not contain them. `truncated`: no client can read them, and the
 * engine's next scavenge of the completed chunk that holds them removes them. */
export type Dropping = 'overwritten' | 'truncated';

/** The event log: the source from which everything else can be rebuilt. */
export type EventLog = {
  /** Appends all events or none, durably, where the stream's last revision is the expected one.
   * @throws LogUnavailable, AppendUndecided */
  readonly append: (
    stream: string,
    events: readonly (NewEvent | ErasedEvent)[],
    expected: Revision,
    options?: AppendOptions,
  ) => Promise<Appended>;
  /** Returns the events of a stream from a revision on, in order: at most `readEventsMax`, fewer only at the end of the stream. Erased
   * events carry no content or salt.
   * @throws LogUnavailable */
  readonly read: (stream: string, from: number) => Promise<readonly RecordedEvent[]>;
  /** Returns the last revision of each stream, in the order of the arguments. It includes every append that is acknowledged by now.
   * @throws LogUnavailable */
  readonly lastRevisions: (streams: readonly string[]) => Promise<readonly Revision[]>;
  /** Returns the account of each stream's last event, in the order of the arguments; undefined where a stream has no event. The owner of a
   * stream never changes.
   * @throws LogUnavailable */
  readonly owners: (streams: readonly string[]) => Promise<readonly (string | undefined)[]>;
  /** Delivers all events after a position in order, in batches of at most `subscriptionEventsMax`. Erased events carry no content or salt.
   * Waits until each batch is processed, and at the head for the next events. Ends when the signal aborts. Rejects with the error that
   * `handle` threw. */
  readonly subscribe: (after: Position, handle: (batch: readonly RecordedEvent[]) => Promise<void>, signal: AbortSignal) => Promise<void>;
  /** Erases salt and content of all events of a stream before a revision; revisions, positions and envelopes stay. Before the call, the log
   * must hold the summary of the remains (`summarize`) and, at that revision, an event that records the current state; see `erase`. The
   * caller repeats the call where it failed.
   * @throws RangeError where there is no such summary, LogUnavailable, AppendUndecided */
  readonly eraseBefore: (stream: string, before: number, summary: ErasureSummary) => Promise<Dropping>;
  /** @throws LogUnavailable */
  readonly state: () => Promise<LogState>;
};

/** The maximum number of events that one `read` returns. A caller that needs more reads on. The limit is low because each event may have
 * half a megabyte. */
export const readEventsMax = 200;
/** The maximum number of events in a batch that `subscribe` delivers. */
export const subscriptionEventsMax = 1_000;
