import type { Question, Reply } from '@waymark/history/reading/questions.ts';
import type { CallAnswer, Numbered } from '@waymark/threads/calls.ts';

/** The data with which the history's thread is started. */
export type HistoryData = {
  /** The file of the log. */
  readonly log: string;
  /** The file of the history. */
  readonly file: string;
};

/** A call to the history's thread. */
export type HistoryCall =
  /** Asks the history at or after a position of the log. Returns an `Asked`. */
  | { readonly kind: 'ask'; readonly question: Question; readonly at: number }
  /** Waits until no content that was erased up to a position is left. Returns whether that is so in time. */
  | { readonly kind: 'cleaned'; readonly through: number; readonly withinMs: number }
  /** Puts another file, which was built from the log, in the place of the history's. */
  | { readonly kind: 'replace'; readonly file: string }
  /** Returns the position of the history. */
  | { readonly kind: 'position' }
  | { readonly kind: 'close' };

/** The reply to a question; undefined where the history is not at the position in time, or cannot be read. */
export type Asked = Reply | undefined;

export type ToHistory = Numbered<HistoryCall>;
export type FromHistory = { readonly kind: 'failed'; readonly error: Error } | CallAnswer;
