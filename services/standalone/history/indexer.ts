import { Unavailable } from '@waymark/domain/unavailable.ts';
import { openLogReader } from '@waymark/event-log/sqlite/reader.ts';
import { answerFully } from '@waymark/history/reading/answer-fully.ts';
import type { Question } from '@waymark/history/reading/questions.ts';
import type { NotaryStatus } from '@waymark/notary/app.ts';
import { startThreadNotary, type ThreadNotaryPorts } from '../notary/thread-notary.ts';
import { createAccountTurns } from './account-turns.ts';
import { followLog } from './follower.ts';
import { waitMs } from './limits.ts';
import type { Asked, Handover, HistoryData } from './messages.ts';

/** The history as its thread has it. */
export type HistoryIndexer = {
  /** Answers a question once the history is at a position. */
  readonly ask: (question: Question, at: number) => Promise<Asked>;
  /** Waits until nothing is left of the content that was erased up to a position. Returns whether that is so in time. */
  readonly cleaned: (through: number, withinMs: number) => Promise<boolean>;
  /** Puts another file, which was built from the log, in the place of the history's. */
  readonly replace: (file: string) => void;
  readonly notary: () => NotaryStatus;
  /** Returns the position of the history. */
  readonly position: () => number;
  /** Returns whether there is nothing to do until the next event. */
  readonly isQuiet: () => boolean;
  readonly close: () => Promise<Handover>;
};

/** Opens the history, begins to follow the log, and starts the notary.
 * @param failed called with each failure; the step is tried again */
export const openHistoryIndexer = (
  { log, file, notary: data, earlier }: HistoryData,
  failed: (error: Error) => void,
  ofNotary: Omit<ThreadNotaryPorts, 'reader'>,
): HistoryIndexer => {
  const { reader, close: closeLog } = openLogReader(log);
  const { history, applied, cleaned, wake, replace, close } = followLog(reader, file, failed);
  const notary = startThreadNotary(data, { reader, ...ofNotary }, earlier);
  const inTurn = createAccountTurns();
  return {
    notary: notary.status,
    ask: async (question, at) => {
      wake();
      const isInTime = await applied.reached(at, waitMs);
      if (!isInTime) return undefined;
      return inTurn(question.account, async () => {
        const open = history();
        return open && answerFully(open, question);
      }).catch(undefinedIfUnavailable);
    },
    cleaned: (through, withinMs) => {
      wake();
      return cleaned.reached(through, withinMs);
    },
    replace,
    position: applied.at,
    isQuiet: () => {
      const { head } = reader.state();
      return notary.isQuiet() && applied.at() === head && cleaned.at() === head;
    },
    close: async () => {
      const earlier = await notary.close();
      await close();
      closeLog();
      return { position: applied.at(), notary: notary.status(), earlier };
    },
  };
};

const undefinedIfUnavailable = (error: unknown): undefined => {
  if (!(error instanceof Unavailable)) throw error;
};
