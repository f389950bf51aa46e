import { Worker } from 'node:worker_threads';
import type { Collected } from '@waymark/access/refusals/collector.ts';
import type { TokenStore } from '@waymark/access/tokens/token-store.ts';
import { Unavailable } from '@waymark/domain/unavailable.ts';
import type { OwnedSqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { answerCall, type Calls, createCalls } from '@waymark/threads/calls.ts';
import { withDeadline } from '@waymark/timing/deadline.ts';
import type { HistoryThread } from '../history/history.ts';
import type { MetricsSnapshot } from '../metrics/thread-metrics.ts';
import { metricsWaitMs } from './limits.ts';
import type { FromThread, HistoryQuestion, ThreadCall, ThreadData, TokenCall, ToThread } from './messages.ts';
import type { MemoryPlan } from './plan.ts';

/** The threads that answer requests beside the main thread, as the main thread sees them. */
export type HttpThreads = {
  /** Resolves once all of them listen. */
  readonly listening: Promise<void>;
  readonly areListening: () => boolean;
  readonly refreshReaders: () => Promise<void>;
  readonly answerAs: (incarnation: string) => Promise<void>;
  /** Returns the metrics of each thread. A thread that does not respond within `metricsWaitMs` counts with its last ones. */
  readonly metrics: () => Promise<readonly MetricsSnapshot[]>;
  /** Returns how often a thread did not respond in time. */
  readonly unreported: () => number;
  /** Returns the refused requests of all threads since the last call. */
  readonly takeRefused: () => Promise<readonly Collected[]>;
  /** Lets each thread finish its requests within this time and close its stores, and ends it. Returns the last refused requests. */
  readonly close: (withinMs: number) => Promise<readonly Collected[]>;
};

export type HttpThreadsOptions = {
  readonly count: number;
  readonly data: Omit<ThreadData, 'log'>;
  readonly memory: Pick<MemoryPlan, 'heapBytes' | 'youngBytes'>;
  readonly log: Pick<OwnedSqliteEventLog, 'connection'>;
  readonly tokens: Pick<TokenStore, 'save' | 'revoke'>;
  readonly history: Pick<HistoryThread, 'ask'>;
  /** Writes a line to the log of the process. */
  readonly writeLine: (line: string) => void;
  /** Called when a thread has ended unexpectedly: the process must end. */
  readonly onFatal: (error: Error) => void;
};

type HttpThread = {
  readonly calls: Calls<ThreadCall>;
  readonly listening: Promise<void>;
  /** The last metrics of the thread, and the call for the next ones while it runs. */
  reported: MetricsSnapshot | undefined;
  asked: Promise<void> | undefined;
  readonly end: () => Promise<void>;
};

const mebibyte = 1_024 * 1_024;

export const startHttpThreads = (options: HttpThreadsOptions): HttpThreads => {
  const threads = Array.from({ length: options.count }, () => startThread(options));
  let unreported = 0;
  let areListening = false;

  const ask = async (call: ThreadCall): Promise<void> => {
    await Promise.all(threads.map(({ calls }) => calls.ask(call)));
  };
  const askForRefused = async (call: ThreadCall): Promise<readonly Collected[]> => {
    const collected = await Promise.all(threads.map(async ({ calls }) => (await calls.ask(call)) as readonly Collected[]));
    return collected.flat();
  };
  const report = async (thread: HttpThread): Promise<MetricsSnapshot | undefined> => {
    thread.asked ??= askForMetrics(thread);
    await withDeadline(metricsWaitMs, thread.asked, () => {
      unreported += 1;
    });
    return thread.reported;
  };
  return {
    listening: Promise.all(threads.map(({ listening }) => listening)).then(() => {
      areListening = true;
    }),
    areListening: () => areListening,
    refreshReaders: () => ask({ kind: 'refresh' }),
    answerAs: (incarnation) => ask({ kind: 'answer-as', incarnation }),
    metrics: async () => (await Promise.all(threads.map(report))).filter((snapshot) => snapshot !== undefined),
    unreported: () => unreported,
    takeRefused: () => askForRefused({ kind: 'take-refused' }),
    close: async (withinMs) => {
      const last = await askForRefused({ kind: 'close', withinMs });
      await Promise.all(threads.map(({ end }) => end()));
      return last;
    },
  };
};

/** An error keeps no class on its way to a thread. */
const undefinedIfUnavailable = (error: unknown): undefined => {
  if (!(error instanceof Unavailable)) throw error;
};

const askForMetrics = async (thread: HttpThread): Promise<void> => {
  try {
    thread.reported = (await thread.calls.ask({ kind: 'metrics' })) as MetricsSnapshot;
  } finally {
    thread.asked = undefined;
  }
};

const startThread = ({ data, memory, log, tokens, history, writeLine, onFatal }: HttpThreadsOptions): HttpThread => {
  const connection = log.connection();
  const workerData: ThreadData = { ...data, log: connection };
  const worker = new Worker(new URL('./http-thread.ts', import.meta.url), {
    workerData,
    transferList: [connection.port],
    resourceLimits: {
      maxOldGenerationSizeMb: Math.floor(memory.heapBytes / mebibyte),
      maxYoungGenerationSizeMb: Math.floor(memory.youngBytes / mebibyte),
    },
  });
  const post = (message: ToThread): void => worker.postMessage(message);
  const calls = createCalls<ThreadCall>(post);
  const listening = Promise.withResolvers<void>();
  let isEnding = false;

  const run = (call: TokenCall | HistoryQuestion): Promise<unknown> => {
    switch (call.kind) {
      case 'save':
        return tokens.save(call.record);
      case 'revoke':
        return tokens.revoke(call.hash);
      case 'ask-history':
        return history.ask(call.question, call.at).catch(undefinedIfUnavailable);
    }
  };
  const receive = (message: FromThread): void => {
    if (message.kind === 'listening') listening.resolve();
    else if (message.kind === 'line') writeLine(message.line);
    else if (message.kind === 'answer' || message.kind === 'refusal') calls.settle(message);
    else void answerCall(message.call, () => run(message), post);
  };
  const die = (error: Error): void => {
    calls.abandon(error);
    if (!isEnding) onFatal(error);
  };
  worker.on('message', receive);
  worker.on('error', die);
  worker.on('exit', () => die(new Error('An HTTP thread has ended.')));
  const end = async (): Promise<void> => {
    isEnding = true;
    await worker.terminate();
  };
  return { calls, listening: listening.promise, reported: undefined, asked: undefined, end };
};
