import { Worker } from 'node:worker_threads';
import { HistoryUnavailable } from '@waymark/history/history.ts';
import { answerCall, type Calls, createCalls, type Numbered } from '@waymark/threads/calls.ts';
import { withDeadline } from '@waymark/timing/deadline.ts';
import type { RemoteAppend } from '../notary/thread-log.ts';
import { closeWaitMs, heapMebibytes } from './limits.ts';
import type { CheckpointAppend, FromHistory, Handover, HistoryCall, HistoryData, NotaryLine } from './messages.ts';

/** The history's thread, from its start to its end. */
export type HistoryWorker = {
  readonly ask: Calls<HistoryCall>['ask'];
  /** Returns whether a call waits for its answer. */
  readonly isAsked: () => boolean;
  /** Ends the thread. Returns what the next one continues with; undefined where it ends too late, or has failed. */
  readonly end: () => Promise<Handover | undefined>;
};

export type HistoryWorkerHooks = {
  /** Called with each failure, after which the thread tries again. */
  readonly failed: (error: Error) => void;
  /** Appends a checkpoint. */
  readonly append: RemoteAppend;
  /** Writes a line of the notary. */
  readonly log: (line: NotaryLine) => void;
  /** Called when the notary begins or ceases to refuse. */
  readonly notaryRefuses: (reason: string | undefined) => void;
  /** Called again and again while the thread has nothing to do. */
  readonly quiet: () => void;
  /** Called when the thread has ended by itself. */
  readonly ended: () => void;
};

const mebibyte = 1_024 * 1_024;

/** @param youngBytes the most that the thread's new objects may take */
export const startHistoryWorker = (data: HistoryData, youngBytes: number, hooks: HistoryWorkerHooks): HistoryWorker => {
  const worker = new Worker(new URL('./history-thread.ts', import.meta.url), {
    name: 'history',
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: heapMebibytes, maxYoungGenerationSizeMb: Math.floor(youngBytes / mebibyte) },
  });
  const calls = createCalls<HistoryCall>((call) => worker.postMessage(call));
  let asked = 0;
  let isEnding = false;
  const receive = (message: FromHistory): void => {
    if (message.kind === 'answer' || message.kind === 'refusal') calls.settle(message);
    else if (message.kind === 'notary-refuses') hooks.notaryRefuses(message.reason);
    else if (message.kind === 'append') answerAppend(message, hooks.append, worker);
    else if (message.kind === 'line') hooks.log(message);
    else if (message.kind === 'quiet') hooks.quiet();
    else hooks.failed(message.error);
  };
  worker.on('message', receive);
  worker.on('error', hooks.failed);
  worker.on('exit', () => {
    calls.abandon(new HistoryUnavailable("The history's thread has ended."));
    if (!isEnding) hooks.ended();
  });
  const ask: HistoryWorker['ask'] = async (call) => {
    asked += 1;
    try {
      return await calls.ask(call);
    } finally {
      asked -= 1;
    }
  };
  return {
    ask,
    isAsked: () => asked > 0,
    end: async () => {
      isEnding = true;
      const handover = await withDeadline(closeWaitMs, ask({ kind: 'close' }), () => undefined).catch(() => undefined);
      await worker.terminate();
      return handover as Handover | undefined;
    },
  };
};

const answerAppend = ({ call, append: appending }: Numbered<CheckpointAppend>, append: RemoteAppend, worker: Worker): void =>
  void answerCall(
    call,
    () => append(...appending),
    (answer) => worker.postMessage(answer),
  );
