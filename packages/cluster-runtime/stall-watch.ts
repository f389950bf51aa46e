import type { HealthCheck } from './health-check.ts';

/** A part of what a process does without being asked. */
export type Work = {
  readonly name: string;
  /** A value that changes with each step that is done. */
  readonly done: number;
  /** Whether there is something to do, and nothing that only an operator can remove prevents it. */
  readonly isDue: boolean;
};

export type StallWatchOptions = {
  /** The engines that the work needs. While one of them does not respond, no progress is expected. */
  readonly engines: readonly Pick<HealthCheck, 'failure'>[];
  readonly works: () => readonly Work[];
  /** Ends the process. A restarted process begins with new connections and without the state that led to the stall. */
  readonly fatal: (error: Error) => void;
  readonly limitMs?: number;
  readonly checkEveryMs?: number;
};

/** Work that was due made no progress while all engines responded. */
export class Stalled extends Error {}

/** How long due work may make no progress while all engines respond. The longest single step, a transaction, has a limit of 60 s. */
export const stalledMs = 180_000;
const checkEveryMsUsual = 1_000;
/** A check that is this many intervals late shows that the process itself did not run. */
const lateIntervals = 5;

/** Ends a process whose work makes no progress although its engines respond.
 * @returns a function that stops the watch */
export const watchForStall = (options: StallWatchOptions): (() => void) => {
  const { engines, works, fatal, limitMs = stalledMs, checkEveryMs = checkEveryMsUsual } = options;
  let watched = new Map<string, { readonly done: number; readonly sinceMs: number }>();
  let checkedMs = performance.now();
  const check = (): void => {
    const nowMs = performance.now();
    const isLate = nowMs - checkedMs > lateIntervals * checkEveryMs;
    checkedMs = nowMs;
    if (isLate || engines.some(({ failure }) => failure() !== undefined)) watched.clear();
    const before = watched;
    watched = new Map();
    for (const { name, done, isDue } of works()) {
      if (!isDue) continue;
      const known = before.get(name);
      const now = known?.done === done ? known : { done, sinceMs: nowMs };
      watched.set(name, now);
      if (nowMs - now.sinceMs < limitMs) continue;
      clearInterval(timer);
      fatal(new Stalled(`No progress for ${limitMs / 1_000} s although all engines respond: ${name}.`));
      return;
    }
  };
  const timer = setInterval(check, checkEveryMs).unref();
  return () => clearInterval(timer);
};
