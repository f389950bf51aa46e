import type { EventLog } from '@waymark/event-log/event-log.ts';
import type { Question, Reply } from '@waymark/history/reading/questions.ts';
import type { Seals } from '@waymark/http/paging/seals.ts';

import type { ActivityStreamOptions } from './activity-stream/options.ts';
import type { ProofOptions } from './proofs/options.ts';

export type AuditorOptions = {
  /** Asks the history, once it has every write that was acknowledged before.
   * @throws HistoryUnavailable */
  readonly ask: (question: Question) => Promise<Reply>;
  readonly seals: Seals;
  /** Returns how a request id may be stored in events. */
  readonly storedRequestIds: (text: string) => readonly string[];
  /** The log, which has the refused requests and the undo jobs. */
  readonly log: Pick<EventLog, 'read' | 'lastRevisions'>;
  /** The days for which refused requests are kept. */
  readonly refusals: { readonly days: number };
  readonly proofs: ProofOptions;
  readonly streams: ActivityStreamOptions;
  /** The public base URL, without a trailing slash. */
  readonly base: string;
};
