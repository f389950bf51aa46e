import { notaryDirectory } from '@waymark/checkpoints/notary-directory.ts';
import type { SqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { HistoryUnavailable } from '@waymark/history/history.ts';
import { createQuestionLimit } from '@waymark/history/reading/question-limit.ts';
import type { Question, Reply } from '@waymark/history/reading/questions.ts';
import type { NotaryStatus } from '@waymark/notary/app.ts';
import { pauseMs } from '@waymark/timing/back-off.ts';
import { withDeadline } from '@waymark/timing/deadline.ts';
import { type HistoryWorker, type HistoryWorkerHooks, startHistoryWorker } from './history-worker.ts';
import { accountQuestionsMax, answerMs, failurePauses, firstStartMs, questionsMax } from './limits.ts';
import type { Asked, Handover, HistoryCall, HistoryData } from './messages.ts';

/** The history and the notary, in a thread of their own. It ends while there is nothing to do for it, and starts with the next event, question
 * or order. A thread that fails is started again: nothing else of the server needs it. */
export type HistoryThread = {
  /** Asks the history, once it is at a position of the log.
   * @throws HistoryUnavailable if that takes too long, or if too many questions are in progress */
  readonly ask: (question: Question, at: number) => Promise<Reply>;
  /** Waits until nothing is handover of the content that was erased up to a position. Returns whether that is so in time. */
  readonly cleaned: (through: number, withinMs: number) => Promise<boolean>;
  /** Puts another file, which was built from the log, in the place of the history's. */
  readonly replace: (file: string) => Promise<void>;
  /** Starts the thread if it does not run: the log is not the one that it was. */
  readonly wake: () => void;
  /** Returns the status of the notary, and the position of the history. They start the thread only where it has never run. */
  readonly notary: () => Promise<NotaryStatus>;
  readonly position: () => Promise<number>;
  /** Returns why the notary refuses to sign, as a sentence; undefined while it does not. */
  readonly notaryRefuses: () => string | undefined;
  readonly close: () => Promise<void>;
};

/** What the thread is started with. */
export type HistoryOptions = {
  readonly data: Omit<HistoryData, 'earlier'>;
  /** The most that its new objects may take. */
  readonly youngBytes: number;
  readonly log: Pick<SqliteEventLog, 'head' | 'onMoved'>;
};

export type HistoryHooks = Pick<HistoryWorkerHooks, 'failed' | 'append' | 'log'>;

/** Starts the thread after a while, and then whenever it is needed. Long because its functions share which thread runs. */
export const startHistory = (options: HistoryOptions, hooks: HistoryHooks): HistoryThread => {
  const { data, youngBytes, log } = options;
  const limited = createQuestionLimit({ questionsMax, accountQuestionsMax });
  let worker: HistoryWorker | undefined;
  let resting: Promise<void> | undefined;
  let handover: Handover | undefined;
  let refuses: string | undefined;
  let isClosing = false;
  let failures = 0;
  let stopWaiting = (): void => undefined;

  const begin = (): HistoryWorker => {
    clearTimeout(first);
    stopWaiting();
    const begun = startHistoryWorker({ ...data, earlier: handover?.earlier }, youngBytes, {
      ...hooks,
      notaryRefuses: (reason) => {
        refuses = reason;
      },
      quiet: () => void (worker === begun && !begun.isAsked() && rest(begun)),
      ended: () => {
        if (!isClosing) setTimeout(again, pauseMs(failurePauses, failures)).unref();
        failures += 1;
      },
    });
    // It is used once: where this thread fails, the next one reads the log.
    handover = handover && { ...handover, earlier: undefined };
    return begun;
  };
  const again = (): void => {
    if (!isClosing) worker = begin();
  };
  const started = async (): Promise<HistoryWorker> => {
    await resting;
    if (isClosing) throw new HistoryUnavailable('The server is shutting down.');
    worker ??= begin();
    return worker;
  };
  const wake = (): void => void started().catch(() => undefined);
  const waitFrom = (position: number): void => {
    stopWaiting = onceNeeded(options, position, wake);
  };
  const rest = (quiet: HistoryWorker): void => {
    worker = undefined;
    resting = quiet.end().then((kept) => {
      handover = kept ?? handover;
      resting = undefined;
      if (kept === undefined) wake();
      else waitFrom(kept.position);
    });
  };
  const ask = async (call: HistoryCall): Promise<unknown> => (await started()).ask(call);
  /** Asks the thread if it runs, or has never run; otherwise what it handed over tells the same. */
  const latest = async <Value>(call: HistoryCall, from: (handover: Handover) => Value): Promise<Value> => {
    await resting;
    return worker === undefined && handover !== undefined ? from(handover) : ((await ask(call)) as Value);
  };
  // A start compares the log with what was signed.
  const first = setTimeout(wake, firstStartMs).unref();
  waitFrom(log.head());

  return {
    ask: (question, at) => {
      const answer = limited(question.account, async () => {
        const asked = (await ask({ kind: 'ask', question, at })) as Asked;
        if (asked === undefined) throw new HistoryUnavailable('The history is not complete yet.');
        return asked;
      });
      // The question counts as one in progress until the thread has answered it.
      return withDeadline(answerMs, answer, () => {
        throw new HistoryUnavailable('The history did not answer in time.');
      });
    },
    cleaned: async (through, withinMs) => (await ask({ kind: 'cleaned', through, withinMs })) as boolean,
    replace: async (file) => void (await ask({ kind: 'replace', file })),
    wake,
    notary: () => latest({ kind: 'notary' }, ({ notary }) => notary),
    position: () => latest({ kind: 'position' }, ({ position }) => position),
    notaryRefuses: () => refuses,
    close: async () => {
      isClosing = true;
      clearTimeout(first);
      await resting;
      stopWaiting();
      // If it has never run, the process before may have left something to sign.
      if (handover === undefined) worker ??= begin();
      await worker?.end();
    },
  };
};

/** Calls `wake` once the log has events after a position, or within an interval after an operator has ordered the notary to begin.
 * @returns a function that ends the wait */
const onceNeeded = ({ data: { notary }, log: { head, onMoved } }: HistoryOptions, position: number, wake: () => void): (() => void) => {
  const { beginning } = notaryDirectory(notary.directory);
  const check = (): void => {
    if (head() > position || beginning.isOrdered()) wake();
  };
  const unlisten = onMoved(check);
  const timer = setInterval(check, notary.intervalMs).unref();
  check();
  return () => {
    unlisten();
    clearInterval(timer);
  };
};
