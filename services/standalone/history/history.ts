import { Worker } from 'node:worker_threads';
import { HistoryUnavailable } from '@waymark/history/history.ts';
import { createQuestionLimit } from '@waymark/history/reading/question-limit.ts';
import type { Question, Reply } from '@waymark/history/reading/questions.ts';
import type { NotaryStatus } from '@waymark/notary/app.ts';
import { answerCall, type Calls, createCalls, type Numbered } from '@waymark/threads/calls.ts';
import { pauseMs } from '@waymark/timing/back-off.ts';
import { withDeadline } from '@waymark/timing/deadline.ts';
import type { RemoteAppend } from '../notary/thread-log.ts';
import { accountQuestionsMax, closeWaitMs, failurePauses, heapMebibytes, questionsMax } from './limits.ts';
import type { Asked, CheckpointAppend, FromHistory, HistoryCall, HistoryData, NotaryLine } from './messages.ts';

/** The history and the notary, in a thread of their own. A thread that ends is started again: nothing else of the server needs it. */
export type HistoryThread = {
  /** Asks the history, once it is at a position of the log.
   * @throws HistoryUnavailable if that takes too long, or if too many questions are in progress */
  readonly ask: (question: Question, at: number) => Promise<Reply>;
  /** Waits until nothing is left of the content that was erased up to a position. Returns whether that is so in time. */
  readonly cleaned: (through: number, withinMs: number) => Promise<boolean>;
  /** Puts another file, which was built from the log, in the place of the history's. */
  readonly replace: (file: string) => Promise<void>;
  readonly notary: () => Promise<NotaryStatus>;
  /** Returns why the notary refuses to sign, as a sentence; undefined while it does not. */
  readonly notaryRefuses: () => string | undefined;
  /** Returns the position of the history; -1 while it has none. */
  readonly position: () => Promise<number>;
  readonly close: () => Promise<void>;
};

export type HistoryHooks = {
  /** Called with each failure, after which the thread tries again. */
  readonly failed: (error: Error) => void;
  /** Appends a checkpoint. */
  readonly append: RemoteAppend;
  /** Writes a line of the notary. */
  readonly log: (line: NotaryLine) => void;
};

const mebibyte = 1_024 * 1_024;

/** Starts the thread.
 * @param youngBytes the most that its new objects may take */
export const startHistory = (data: HistoryData, youngBytes: number, { failed, append, log }: HistoryHooks): HistoryThread => {
  let calls: Calls<HistoryCall>;
  let worker: Worker;
  const limited = createQuestionLimit({ questionsMax, accountQuestionsMax });
  let refuses: string | undefined;
  let isClosing = false;
  let ends = 0;

  const receive = (message: FromHistory): void => {
    if (message.kind === 'answer' || message.kind === 'refusal') calls.settle(message);
    else if (message.kind === 'notary-refuses') refuses = message.reason;
    else if (message.kind === 'append') answerAppend(message, append, worker);
    else if (message.kind === 'line') log(message);
    else failed(message.error);
  };
  const start = (): void => {
    worker = new Worker(new URL('./history-thread.ts', import.meta.url), {
      name: 'history',
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: heapMebibytes, maxYoungGenerationSizeMb: Math.floor(youngBytes / mebibyte) },
    });
    calls = createCalls<HistoryCall>((call) => worker.postMessage(call));
    worker.on('message', receive);
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
    notary: async () => (await calls.ask({ kind: 'notary' })) as NotaryStatus,
    notaryRefuses: () => refuses,
    position: async () => (await calls.ask({ kind: 'position' })) as number,
    close: async () => {
      isClosing = true;
      await withDeadline(closeWaitMs, calls.ask({ kind: 'close' }), () => undefined).catch(() => undefined);
      await worker.terminate();
    },
  };
};

const answerAppend = ({ call, append: appending }: Numbered<CheckpointAppend>, append: RemoteAppend, worker: Worker): void =>
  void answerCall(
    call,
    () => append(...appending),
    (answer) => worker.postMessage(answer),
  );
