import type { Question, Reply } from '@waymark/history/reading/questions.ts';
import type { EarlierNotary, NotaryStatus } from '@waymark/notary/app.ts';
import type { CallAnswer, Numbered } from '@waymark/threads/calls.ts';
import type { RemoteAppend } from '../notary/thread-log.ts';
import type { NotaryData } from '../notary/thread-notary.ts';

/** The data with which the history's thread is started. */
export type HistoryData = {
  /** The file of the log. */
  readonly log: string;
  /** The file of the history. */
  readonly file: string;
  readonly notary: NotaryData;
  /** What the notary of the thread before has handed over. */
  readonly earlier: EarlierNotary | undefined;
};

/** What a thread hands over when it ends: the position of the history, the status of the notary, and what the next notary needs to continue. */
export type Handover = {
  readonly position: number;
  readonly notary: NotaryStatus;
  readonly earlier: EarlierNotary | undefined;
};

/** A call to the history's thread. */
export type HistoryCall =
  /** Asks the history at or after a position of the log. Returns an `Asked`. */
  | { readonly kind: 'ask'; readonly question: Question; readonly at: number }
  /** Waits until no content that was erased up to a position is left. Returns whether that is so in time. */
  | { readonly kind: 'cleaned'; readonly through: number; readonly withinMs: number }
  /** Puts another file, which was built from the log, in the place of the history's. */
  | { readonly kind: 'replace'; readonly file: string }
  /** Returns the `NotaryStatus`. */
  | { readonly kind: 'notary' }
  /** Returns the position of the history. */
  | { readonly kind: 'position' }
  /** Ends the work. Returns the `Handover`. */
  | { readonly kind: 'close' };

/** The reply to a question; undefined where the history is not at the position in time, or cannot be read. */
export type Asked = Reply | undefined;

/** A call to the main thread, which appends a checkpoint. Returns a `RemoteOutcome`. */
export type CheckpointAppend = { readonly kind: 'append'; readonly append: Parameters<RemoteAppend> };

/** A line of the notary for the log of the process. */
export type NotaryLine = {
  readonly kind: 'line';
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly text: string;
};

export type ToHistory = Numbered<HistoryCall> | CallAnswer;
export type FromHistory =
  | { readonly kind: 'failed'; readonly error: Error }
  /** Why the notary refuses to sign; undefined while it does not. */
  | { readonly kind: 'notary-refuses'; readonly reason: NotaryStatus['reason'] }
  /** The thread has nothing to do. */
  | { readonly kind: 'quiet' }
  | NotaryLine
  | Numbered<CheckpointAppend>
  | CallAnswer;
