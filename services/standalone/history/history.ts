import { Worker } from 'node:worker_threads';
import { HistoryUnavailable } from '@waymark/history/history.ts';
import { createQuestionLimit } from '@waymark/history/reading/question-limit.ts';
import type { Question, Reply } from '@waymark/history/reading/questions.ts';
import { type Calls, createCalls } from '@waymark/threads/calls.ts';
import { pauseMs } from '@waymark/timing/back-off.ts';
import { withDeadline } from '@waymark/timing/deadline.ts';
import { accountQuestionsMax, closeWaitMs, failurePauses, heapMebibytes, questionsMax, youngMebibytes } from './limits.ts';
import type { Asked, FromHistory, HistoryCall, HistoryData } from './messages.ts';

/** The history, in a thread of its own. A thread that ends is started again: nothing else of the server needs it. */
export type HistoryThread = {
  /** Asks the history, once it is at a position of the log.
   * @throws HistoryUnavailable if that takes too long, or if too many questions are in progress */
  readonly ask: (question: Question, at: number) => Promise<Reply>;
  /** Waits until nothing is left of the content that was erased up to a position. Returns whether that is so in time. */
  readonly cleaned: (through: number, withinMs: number) => Promise<boolean>;
  /** Puts another file, which was built from the log, in the place of the history's. */
  readonly replace: (file: string) => Promise<void>;
  /** Returns the position of the history; -1 while it has none. */
  readonly position: () => Promise<number>;
  readonly close: () => Promise<void>;
};

/** Starts the thread.
 * @param failed called with each failure, after which the thread tries again */
export const startHistory = (data: HistoryData, failed: (error: Error) => void): HistoryThread => {
  let calls: Calls<HistoryCall>;
  let worker: Worker;
  const limited = createQuestionLimit({ questionsMax, accountQuestionsMax });
  let isClosing = false;
  let ends = 0;

  const start = (): void => {
    worker = new Worker(new URL('./history-thread.ts', import.meta.url), {
      name: 'history',
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: heapMebibytes, maxYoungGenerationSizeMb: youngMebibytes },
    });
    calls = createCalls<HistoryCall>((call) => worker.postMessage(call));
    worker.on('message', (message: FromHistory) => (message.kind === 'failed' ? failed(message.error) : calls.settle(message)));
    worker.on('error', failed);
    worker.on('exit', () => {
      calls.abandon(new HistoryUnavailable("The history's thread has ended."));
      if (!isClosing) setTimeout(restart, pauseMs(failurePauses, ends)).unref();
      ends += 1;
    });
  };
  const restart = (): void => {
    if (!isClosing) start();
  };
  start();

  return {
    ask: (question, at) =>
      limited(question.account, async () => {
        const asked = (await calls.ask({ kind: 'ask', question, at })) as Asked;
        if (asked === undefined) throw new HistoryUnavailable('The history is not complete yet.');
        return asked;
      }),
    cleaned: async (through, withinMs) => (await calls.ask({ kind: 'cleaned', through, withinMs })) as boolean,
    replace: async (file) => void (await calls.ask({ kind: 'replace', file })),
    position: async () => (await calls.ask({ kind: 'position' })) as number,
    close: async () => {
      isClosing = true;
      await withDeadline(closeWaitMs, calls.ask({ kind: 'close' }), () => undefined).catch(() => undefined);
      await worker.terminate();
    },
  };
};
