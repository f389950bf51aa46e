import type { ErasureSummary } from '@waymark/domain/erasure-summary.ts';
import type { ErasedEvent, NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { Unavailable } from '@waymark/domain/unavailable.ts';

/** Place of an event in the log: positions rise, with gaps; 0 stands before the first. */
export type Position = number;

/** The revision that the last event of a stream has, or `none` where the stream has none. */
export type Revision = number | 'none';

export type Appended =
  | { readonly outcome: 'appended'; readonly revision: number; readonly position: Position }
  /** Nothing was written. */
  | { readonly outcome: 'conflict' };

/** The log cannot be reached or cannot write: nothing was appended. */
export class LogUnavailable extends Unavailable {}

/** An append was cut off: it may have happened. What stands in the stream tells, by event id. */
export class AppendUndecided extends Unavailable {
  override readonly isUndecided = true;
}

/** Which log this is and how far it reaches. */
export type LogState = {
  /** Random, given when the log was made, renewed when a backup is restored. */
  readonly incarnation: string;
  /** Random, given once to a log that has none, and never renewed: a restored backup is the same installation. Empty only in a file of v0.1.0 that
   * was never opened to be written. */
  readonly installation: string;
  /** Position of the last event of any stream, 0 in an empty log. */
  readonly head: Position;
};

/** What became of erased bytes. `overwritten`: they are nowhere in the log's files. `truncated`: nobody can read them any more, and they go with
 * the engine's next scavenge of the completed chunk that they are in. */
export type Dropping = 'overwritten' | 'truncated';

/** The log of facts: the truth from which everything else can be made again. */
export type EventLog = {
  /** Appends all or nothing, durably, where the stream's last revision is the expected one.
   * @throws LogUnavailable, AppendUndecided */
  readonly append: (stream: string, events: readonly (NewEvent | ErasedEvent)[], expected: Revision) => Promise<Appended>;
  /** Events of a stream from a revision on, what was erased without content and salt, in order, at most `readEventsMax` of them, fewer only at the stream's end.
   * @throws LogUnavailable */
  readonly read: (stream: string, from: number) => Promise<readonly RecordedEvent[]>;
  /** What is acknowledged by now: the last revision of each stream, in the order asked.
   * @throws LogUnavailable */
  readonly lastRevisions: (streams: readonly string[]) => Promise<readonly Revision[]>;
  /** The account of each stream's last event, in the order asked; undefined where a stream has none. An owner never changes.
   * @throws LogUnavailable */
  readonly owners: (streams: readonly string[]) => Promise<readonly (string | undefined)[]>;
  /** Hands over every event after a position, what was forgotten without content and salt, in order, a batch of at most `subscriptionEventsMax` at a time; waits for each batch to be
   * dealt with, and at the head for what is appended next. Ends when the signal aborts; rejects with what `handle` threw. */
  readonly subscribe: (after: Position, handle: (batch: readonly RecordedEvent[]) => Promise<void>, signal: AbortSignal) => Promise<void>;
  /** Erases salt and content of all that a stream has before a revision; revisions, positions and envelopes stay. See `erase`: the summary of
   * what is left (`summarise`) stands in the log by then, and an event at that revision that says what goes on being so. To be called again
   * where it failed. @throws RangeError where there is no such summary, LogUnavailable, AppendUndecided */
  readonly eraseBefore: (stream: string, before: number, summary: ErasureSummary) => Promise<Dropping>;
  /** @throws LogUnavailable */
  readonly state: () => Promise<LogState>;
};

/** Events that one `read` gives; who wants more reads on. So few because each may bring half a megabyte. */
export const readEventsMax = 200;
/** Events in a batch that `follow` hands over. */
export const subscriptionEventsMax = 1_000;
