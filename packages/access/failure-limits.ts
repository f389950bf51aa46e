import { isFailedGuess } from '@waymark/http/authentication-failures.ts';
import type { FailureLimit, Quota } from '@waymark/http/rate-limit.ts';
import { type Counter, counterIn, refusal } from './rate-limits.ts';
import type { WindowCounters } from './window-counters.ts';

/** Counts failures in the memory of this process. */
export const createMemoryFailureLimit = (quota: Quota, counters: WindowCounters): FailureLimit =>
  failureLimitBy(quota, counterIn(counters, quota));

/** The attempts of a key: the number in progress, and those that wait. */
type Attempts = { inProgress: number; readonly waiting: (() => void)[] };

export const failureLimitBy = (quota: Quota, counter: Counter): FailureLimit => {
  /** At most as many entries as there are requests in progress. */
  const attempts = new Map<string, Attempts>();

  const wakeNext = (key: string): void => {
    const ofKey = attempts.get(key);
    const next = ofKey?.waiting.shift();
    if (next) next();
    else if (ofKey?.inProgress === 0) attempts.delete(key);
  };
  const begin = async (key: string): Promise<Attempts> => {
    for (;;) {
      const failures = await counter.get(key);
      if (failures.points >= quota.points) {
        wakeNext(key);
        throw refusal(quota, failures);
      }
      const ofKey = attempts.get(key) ?? { inProgress: 0, waiting: [] };
      attempts.set(key, ofKey);
      if (failures.points + ofKey.inProgress < quota.points) {
        ofKey.inProgress += 1;
        return ofKey;
      }
      await new Promise<void>((resolve) => ofKey.waiting.push(resolve));
    }
  };

  return {
    attempt: async (key, attempt) => {
      const ofKey = await begin(key);
      try {
        return await attempt();
      } catch (error) {
        if (isFailedGuess(error)) await counter.add(key);
        throw error;
      } finally {
        ofKey.inProgress -= 1;
        wakeNext(key);
      }
    },
  };
};
