import type { Position } from '@waymark/event-log/event-log.ts';
import type { LaterActivityQuestion, Reply } from '@waymark/history/reading/questions.ts';

/** Where streams find new entries. */
export type StreamSource = {
  /** Returns a position for each account, in their order: as long as it is the same, the account has no new entries.
   * @throws HistoryUnavailable */
  readonly positions: (accounts: readonly string[]) => readonly Position[] | Promise<readonly Position[]>;
  /** Asks the history at or after a position.
   * @throws HistoryUnavailable */
  readonly ask: (question: LaterActivityQuestion, at: Position) => Promise<Reply>;
};
