import type { TokenRecord } from '@waymark/access/tokens/token-store.ts';
import type { LogConnection } from '@waymark/event-log/sqlite/event-log.ts';
import type { Question } from '@waymark/history/reading/questions.ts';
import type { Keys } from '@waymark/runtime/private-files.ts';
import type { CallAnswer, Numbered } from '@waymark/threads/calls.ts';
import type { SharedNumber } from '@waymark/threads/shared-number.ts';
import type { SharedCounters } from '../counters.ts';
import type { DataDirectory } from '../data-directory/data-directory.ts';
import type { Settings } from '../settings.ts';

/** Numbers that all threads see. */
export type SharedNumbers = {
  /** The number of the file of the read models that readers read; 0 until the read models are complete. */
  readonly shown: SharedNumber;
  /** The number of a file of the read models of which pages are damaged. */
  readonly damaged: SharedNumber;
  /** 1 once the process is closing. */
  readonly closing: SharedNumber;
  /** The number of changes of applications by operators. */
  readonly changes: SharedNumber;
};

/** The data with which an HTTP thread is started. */
export type ThreadData = {
  readonly settings: Settings;
  readonly directory: Omit<DataDirectory, 'release'>;
  readonly keys: Keys;
  readonly log: LogConnection;
  readonly incarnation: string;
  /** The port that the main thread listens on. */
  readonly port: number;
  /** The public base URL, without a trailing slash. */
  readonly base: string;
  /** What the budgets of the process, and the caches of this thread, take their shares of. */
  readonly processBytes: number;
  readonly threadBytes: number;
  readonly numbers: SharedNumbers;
  readonly counters: SharedCounters;
};

/** A call from the main thread to an HTTP thread. */
export type ThreadCall =
  /** Closes a file of the read models that is no longer the current one. */
  | { readonly kind: 'refresh' }
  /** Answers requests with this incarnation of the log from now on. */
  | { readonly kind: 'answer-as'; readonly incarnation: string }
  /** Returns the `MetricsSnapshot` of the thread. */
  | { readonly kind: 'metrics' }
  /** Returns the refused requests (`Collected`) since the last call. */
  | { readonly kind: 'take-refused' }
  /** Finishes the requests in progress within this time, and closes the stores. Returns the last refused requests. */
  | { readonly kind: 'close'; readonly withinMs: number };

/** A call from an HTTP thread to the main thread, which asks the history at a position of the log. */
export type HistoryQuestion = { readonly kind: 'ask-history'; readonly question: Question; readonly at: number };

/** A call from an HTTP thread to the main thread, which writes the tokens. */
export type TokenCall = { readonly kind: 'save'; readonly record: TokenRecord } | { readonly kind: 'revoke'; readonly hash: string };

export type ToThread = Numbered<ThreadCall> | CallAnswer;
export type FromThread =
  | { readonly kind: 'listening' }
  /** A line for the log of the process. */
  | { readonly kind: 'line'; readonly line: string }
  | Numbered<TokenCall | HistoryQuestion>
  | CallAnswer;
