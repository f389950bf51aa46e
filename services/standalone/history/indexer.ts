import { setImmediate as nextTurn } from 'node:timers/promises';
import { Unavailable } from '@waymark/domain/unavailable.ts';
import { openLogReader } from '@waymark/event-log/sqlite/reader.ts';
import { answerFully } from '@waymark/history/reading/answer-fully.ts';
import type { Question } from '@waymark/history/reading/questions.ts';
import type { NotaryStatus } from '@waymark/notary/app.ts';
import { createTurnsByKey } from '@waymark/timing/turns-by-key.ts';
import { startThreadNotary, type ThreadNotaryPorts } from '../notary/thread-notary.ts';
import { followLog } from './follower.ts';
import { answerMs, waitMs } from './limits.ts';
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
  const { history, applied, cleaned, wake, replace, close, ...follower } = followLog(reader, file, failed);
  const notary = startThreadNotary(data, { reader, ...ofNotary }, earlier);
  // The questions of an account are answered one after the other, those of others in between. How many wait is limited where they are asked.
  const turns = createTurnsByKey(1);
  /** An answer may take its whole turn of the event loop. It begins in one of its own, so that what other accounts ask arrives before it. */
  const answerInTurn = async (question: Question, askedMs: number): Promise<Asked> => {
    await nextTurn();
    const open = history();
    // Nobody waits any more for a late answer.
    const isLate = performance.now() - askedMs > answerMs;
    if (isLate || open === undefined) return undefined;
    return answerFully(open, question).catch((error: unknown) => {
      follower.failed(error);
      return undefinedIfUnavailable(error);
    });
  };
  return {
    notary: notary.status,
    ask: async (question, at) => {
      wake();
      const askedMs = performance.now();
      const isInTime = await applied.reached(at, waitMs);
      return isInTime ? turns(question.account, () => answerInTurn(question, askedMs)) : undefined;
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
