import { isFailedGuess } from '@waymark/http/authentication-failures.ts';
import type { FailureLimit, Quota } from '@waymark/http/rate-limit.ts';
import { type Counter, counterIn, refusal } from './rate-limits.ts';
import type { WindowCounters } from './window-counters.ts';

/** Counts failures in the memory of this process. */
export const createMemoryFailureLimit = (quota: Quota, counters: WindowCounters): FailureLimit =>
  failureLimitBy(quota, counterIn(counters, quota));

/** The attempts of a key: those that have come and not ended, those of them that run and that wait, and the failures that were counted. */
type Attempts = { present: number; running: number; counted: number; readonly waiting: (() => void)[] };

export const failureLimitBy = (quota: Quota, counter: Counter): FailureLimit => {
  /** At most as many entries as there are requests in progress. */
  const attempts = new Map<string, Attempts>();

  const enter = (key: string): Attempts => {
    const ofKey = attempts.get(key) ?? { present: 0, running: 0, counted: 0, waiting: [] };
    ofKey.present += 1;
    attempts.set(key, ofKey);
    return ofKey;
  };
  const leave = (key: string, ofKey: Attempts): void => {
    ofKey.present -= 1;
    ofKey.waiting.shift()?.();
    if (ofKey.present === 0) attempts.delete(key);
  };
  /** Waits until the attempt cannot exceed the quota, whatever comes of those that run. */
  const start = async (key: string, ofKey: Attempts): Promise<void> => {
    for (;;) {
      const { counted } = ofKey;
      const failures = await counter.get(key);
      if (failures.points >= quota.points) throw refusal(quota, failures);
      // An attempt that failed meanwhile may be in neither number.
      if (ofKey.counted !== counted) continue;
      if (failures.points + ofKey.running < quota.points) break;
      await new Promise<void>((resolve) => ofKey.waiting.push(resolve));
    }
    ofKey.running += 1;
  };
  const run = async <Result>(key: string, ofKey: Attempts, attempt: () => Promise<Result>): Promise<Result> => {
    try {
      return await attempt();
    } catch (error) {
      if (isFailedGuess(error)) {
        await counter.add(key);
        ofKey.counted += 1;
      }
      throw error;
    } finally {
      ofKey.running -= 1;
    }
  };

  return {
    attempt: async (key, attempt) => {
      const ofKey = enter(key);
      try {
        await start(key, ofKey);
        return await run(key, ofKey, attempt);
      } finally {
        leave(key, ofKey);
      }
    },
  };
};
