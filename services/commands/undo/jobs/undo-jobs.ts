import { Unavailable } from '@waymark/domain/unavailable.ts';
import { LeaseLost } from '@waymark/event-log/lease.ts';
import { createOpenUndos, type OpenUndo, type OpenUndos } from '@waymark/history/undo-jobs/open-jobs.ts';
import { readUndoJob } from '@waymark/history/undo-jobs/stored-jobs.ts';
import { HttpError } from '@waymark/http/errors.ts';
import { pauseMs } from '@waymark/timing/back-off.ts';
import { createJobTurns } from './job-turns.ts';
import { takeUndoLease } from './lease.ts';
import { jobsAtOnce, leaseMs, retryPauses, startMs, watchMs } from './limits.ts';
import type { UndoJobPorts } from './ports.ts';
import { RunInterrupted, runJob } from './run-job.ts';

/** The undo jobs that a process runs. */
export type UndoJobs = {
  /** Looks for new jobs at once. */
  readonly wake: () => void;
  /** Interrupts the jobs. Another process continues them, or this one after its next start. */
  readonly close: () => Promise<void>;
};

export type UndoJobsOptions = UndoJobPorts & {
  /** Whether no other process uses the log. */
  readonly isAlone: boolean;
  readonly logger: { readonly warn: (fields: object, text: string) => void; readonly error: (fields: object, text: string) => void };
};

type ListedJob = OpenUndo & { readonly id: string };

/** When this process may try each job again. */
type Tries = {
  readonly isDue: (id: string) => boolean;
  readonly later: (id: string, ms: number) => void;
  readonly failed: (id: string) => void;
  readonly keepOnly: (jobs: ReadonlyMap<string, unknown>) => void;
};

const createTries = (): Tries => {
  const tries = new Map<string, { readonly failures: number; readonly nextMs: number }>();
  const failuresOf = (id: string): number => tries.get(id)?.failures ?? 0;
  return {
    isDue: (id) => (tries.get(id)?.nextMs ?? 0) <= performance.now(),
    later: (id, ms) => void tries.set(id, { failures: failuresOf(id), nextMs: performance.now() + ms }),
    failed: (id) => void tries.set(id, { failures: failuresOf(id) + 1, nextMs: performance.now() + pauseMs(retryPauses, failuresOf(id)) }),
    keepOnly: (jobs) => {
      for (const id of tries.keys()) if (!jobs.has(id)) tries.delete(id);
    },
  };
};

/** Runs a job unless another process does.
 * @returns the time after which it may be tried again if it is still listed, in milliseconds */
const tryJob = async (
  options: UndoJobsOptions,
  open: OpenUndos,
  { id, account, listedMs }: ListedJob,
  signal: AbortSignal,
): Promise<number> => {
  const { log } = options;
  const job = await readUndoJob(log, id);
  if (job === undefined && Date.now() - listedMs <= startMs) return watchMs;
  if (job !== undefined && job.end === undefined) {
    const lease = await takeUndoLease(log, id, options.isAlone);
    if (lease === undefined) return leaseMs / 2;
    try {
      await runJob(options, job, lease, signal);
    } finally {
      await lease.close();
    }
  }
  await open.list(id, account, true);
  return leaseMs;
};

/** Runs undo jobs, those of other processes that have ended included. Of several processes, one runs a job. */
export const runUndoJobs = (options: UndoJobsOptions): UndoJobs => {
  const { log, logger } = options;
  const open = createOpenUndos(log);
  const tries = createTries();
  const running = new Map<string, Promise<void>>();
  const turns = createJobTurns();
  const closing = new AbortController();
  const { signal } = closing;

  const run = async (job: ListedJob): Promise<void> => {
    const { id } = job;
    try {
      tries.later(id, await tryJob(options, open, job, signal));
    } catch (error) {
      tries.failed(id);
      if (!(error instanceof RunInterrupted || error instanceof LeaseLost || signal.aborted)) warn(logger, id, error);
    }
    running.delete(id);
    turns.end(job.account);
    wake();
  };
  const startNext = (): void => {
    while (!signal.aborted && running.size < jobsAtOnce) {
      const due = [...open.jobs].filter(([id]) => tries.isDue(id) && !running.has(id));
      const next = turns.begin(due.map(([id, job]) => ({ id, ...job })));
      if (next === undefined) return;
      running.set(next.id, run(next));
    }
  };

  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    try {
      await open.update();
      tries.keepOnly(open.jobs);
      startNext();
    } catch (error) {
      logger.warn({ err: error }, 'undo jobs could not be read; the next run tries again');
    }
    looking = undefined;
    if (!signal.aborted) timer = setTimeout(wake, watchMs).unref();
  };
  const wake = (): void => {
    if (signal.aborted) return;
    clearTimeout(timer);
    looking ??= look();
  };
  wake();
  return {
    wake,
    close: async () => {
      closing.abort();
      clearTimeout(timer);
      await looking;
      await Promise.all(running.values());
    },
  };
};

const warn = (logger: UndoJobsOptions['logger'], undo: string, error: unknown): void => {
  const isTemporary = error instanceof Unavailable || error instanceof HttpError;
  logger[isTemporary ? 'warn' : 'error']({ err: error, undo }, 'an undo job was interrupted; it continues later');
};
