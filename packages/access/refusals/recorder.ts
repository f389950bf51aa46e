import type { NewEvent } from '@waymark/domain/event.ts';
import { refusalsStream } from '@waymark/domain/streams.ts';
import { appendOnce } from '@waymark/event-log/append-once.ts';
import { type EventLog, LogUnavailable, type Revision } from '@waymark/event-log/event-log.ts';
import type { NoteRefused } from '@waymark/http/refused-requests.ts';
import { withDeadline } from '@waymark/timing/deadline.ts';
import { type Collected, createCollector } from './collector.ts';
import { appendsAtOnce, conflictsMax, lastAppendMs } from './limits.ts';
import { sealRefusals } from './stored-refusals.ts';

/** Records the refused requests of a process in the log. */
export type RefusalRecorder = {
  readonly note: NoteRefused;
  /** Appends the last refusals, within a time limit.
   * @param ofThreads what the other threads of the process have collected last */
  readonly close: (ofThreads?: readonly Collected[]) => Promise<void>;
};

export type RefusalRecorderOptions = {
  /** Refuses appends while writes are closed. */
  readonly log: Pick<EventLog, 'append' | 'read' | 'lastRevisions'>;
  /** The time between two appends to the same stream, in milliseconds. */
  readonly intervalMs: number;
  readonly logger: { readonly warn: (fields: object, text: string) => void };
  /** Returns what the other threads of the process have collected since the last call. */
  readonly ofThreads?: () => Promise<readonly Collected[]>;
};

/** An event that is not known to be stored. `expected`: the revision at which an append of it was tried, possibly with an unknown outcome. */
type Pending = Collected & { readonly stream: string; readonly event: NewEvent; expected: Revision | undefined };

type Log = RefusalRecorderOptions['log'];

/** Creates the recorder of a process. It appends at most one event to each stream per interval. An append that fails is repeated with the
 * same event in the next run; meanwhile the refusals of its stream are collected, within the same limits. */
export const createRefusalRecorder = (options: RefusalRecorderOptions): RefusalRecorder => {
  const { log, intervalMs, logger, ofThreads = async () => [] } = options;
  const collector = createCollector();
  const pending = new Map<string, Pending>();
  let isClosed = false;

  const store = async (one: Pending): Promise<void> => {
    await append(log, one);
    pending.delete(one.stream);
    collector.release(one);
  };
  const run = async (): Promise<void> => {
    if (!isClosed) for (const collected of await ofThreads()) collector.add(collected);
    for (const taken of collector.take(({ account, day }) => !pending.has(refusalsStream(account, day)))) {
      const stream = refusalsStream(taken.account, taken.day);
      pending.set(stream, { ...taken, stream, event: sealRefusals(taken), expected: undefined });
    }
    const all = [...pending.values()];
    for (let from = 0; from < all.length; from += appendsAtOnce) await allSettled(all.slice(from, from + appendsAtOnce).map(store));
    const ignored = collector.ignored();
    if (ignored > 0) logger.warn({ ignored }, 'refused requests of too many accounts were not recorded');
  };

  const tryRun = (): Promise<void> =>
    run().catch((error: unknown) => logger.warn({ err: error }, 'refused requests could not be recorded; the next run tries again'));
  let running = Promise.resolve();
  const runNext = (): Promise<void> => {
    running = running.then(tryRun);
    return running;
  };
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    timer = setTimeout(() => void runNext().then(() => isClosed || wait()), intervalMs);
    timer.unref();
  };
  wait();
  return {
    note: collector.note,
    close: async (last = []) => {
      isClosed = true;
      for (const collected of last) collector.add(collected);
      clearTimeout(timer);
      await withDeadline(lastAppendMs, runNext(), () => undefined);
    },
  };
};

/** Waits until all of the work has ended.
 * @throws the first error of it */
const allSettled = async (work: readonly Promise<void>[]): Promise<void> => {
  await Promise.allSettled(work);
  await Promise.all(work);
};

/** Appends an event. An attempt whose outcome is unknown is repeated at the same revision. Once another event is
 * at that revision, the attempt can no longer arrive, and the event may be appended at another one.
 * @throws LogUnavailable, AppendUndecided */
const append = async (log: Log, one: Pending): Promise<void> => {
  for (let conflicts = 0; conflicts < conflictsMax; conflicts += 1) {
    one.expected ??= (await log.lastRevisions([one.stream]))[0] ?? 'none';
    const { outcome } = await appendOnce(log, one.stream, [one.event], one.expected);
    if (outcome !== 'conflict') return;
    one.expected = undefined;
  }
  throw new LogUnavailable('Too many processes record refused requests at the same time.');
};
