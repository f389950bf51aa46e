import { isFailedGuess } from '@waymark/http/authentication-failures.ts';
import { type OpenAmounts, oneLess, openAmounts } from '@waymark/http/counters/open-amounts.ts';
import type { FailureLimit, Quota } from '@waymark/http/rate-limit.ts';
import { attemptsPollMs } from './limits.ts';
import { type Counter, counterIn, refusal } from './rate-limits.ts';
import type { WindowCounters } from './window-counters.ts';

/** Counts failures in the memory of this process.
 * @param amounts count the attempts in progress in all threads of the process */
export const createMemoryFailureLimit = (quota: Quota, counters: WindowCounters, amounts?: OpenAmounts): FailureLimit =>
  failureLimitBy(quota, counterIn(counters, quota), amounts);

/** @param amounts count the attempts in progress; by default, those of this limit alone */
export const failureLimitBy = (quota: Quota, counter: Counter, amounts = openAmounts()): FailureLimit => {
  const waiting = createWaiting();
  const runningOf = (key: string): string => `attempts:${quota.name}:${key}`;
  const leave = (key: string): void => void amounts.change(runningOf(key), oneLess);

  /** Counts an attempt as running if it cannot exceed the quota, whatever comes of those that run. An attempt that failed has been added to
   * the count before it leaves: so each one is in at least one of the two numbers that are read here. */
  const enter = async (key: string): Promise<boolean> => {
    let running = 0;
    const isEntered = amounts.change(runningOf(key), (amount) => {
      running = amount + 1;
      return running <= quota.points ? running : undefined;
    });
    if (!isEntered) return false;
    let isRunning = false;
    try {
      const failures = await counter.get(key);
      if (failures.points >= quota.points) throw refusal(quota, failures);
      isRunning = failures.points + running <= quota.points;
      return isRunning;
    } finally {
      if (!isRunning) leave(key);
    }
  };
  const run = async <Result>(key: string, attempt: () => Promise<Result>): Promise<Result> => {
    try {
      return await attempt();
    } catch (error) {
      if (isFailedGuess(error)) await counter.add(key);
      throw error;
    } finally {
      leave(key);
    }
  };

  return {
    attempt: async (key, attempt) => {
      try {
        while (!(await enter(key))) await waiting.wait(key);
        return await run(key, attempt);
      } finally {
        waiting.wakeOne(key);
      }
    },
  };
};

/** Creates the attempts of this thread that wait, by key: at most as many as there are requests in progress. */
const createWaiting = () => {
  const waiting = new Map<string, (() => void)[]>();
  return {
    /** Waits until `wakeOne` is called, or for a moment: attempts of other threads do not report their end. */
    wait: (key: string): Promise<void> =>
      new Promise((resolve) => {
        const ofKey = waiting.get(key) ?? [];
        waiting.set(key, ofKey);
        const proceed = (): void => {
          clearTimeout(timer);
          ofKey.splice(ofKey.indexOf(proceed), 1);
          if (ofKey.length === 0) waiting.delete(key);
          resolve();
        };
        const timer = setTimeout(proceed, attemptsPollMs);
        ofKey.push(proceed);
      }),
    wakeOne: (key: string): void => waiting.get(key)?.[0]?.(),
  };
};
