import { isFailedGuess } from '@waymark/http/authentication-failures.ts';
import type { FailureLimit, Quota } from '@waymark/http/rate-limit.ts';
import { type Counter, createMemoryLimiter, refusal } from './rate-limits.ts';

/** Counts failures in the memory of this process. */
export const createMemoryFailureLimit = (quota: Quota, memoryBytes?: number): FailureLimit => {
  const { limiter, noted } = createMemoryLimiter(quota, memoryBytes);
  return failureLimitBy(quota, limiter, noted);
};

/** The attempts of a key: the number in progress, and those that wait. */
type Attempts = { inProgress: number; readonly waiting: (() => void)[] };

export const failureLimitBy = (quota: Quota, limiter: Counter, noted: (key: string) => void): FailureLimit => {
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
      const spent = await limiter.get(key);
      const failures = spent?.consumedPoints ?? 0;
      if (spent !== null && failures >= quota.points) {
        wakeNext(key);
        throw refusal(quota, spent);
      }
      const ofKey = attempts.get(key) ?? { inProgress: 0, waiting: [] };
      attempts.set(key, ofKey);
      if (failures + ofKey.inProgress < quota.points) {
        ofKey.inProgress += 1;
        return ofKey;
      }
      await new Promise<void>((resolve) => ofKey.waiting.push(resolve));
    }
  };
  const count = async (key: string): Promise<void> => {
    noted(key);
    // Above the quota, `consume` rejects, and there is nothing left to count.
    await limiter.consume(key).catch(() => undefined);
  };

  return {
    attempt: async (key, attempt) => {
      const ofKey = await begin(key);
      try {
        return await attempt();
      } catch (error) {
        if (isFailedGuess(error)) await count(key);
        throw error;
      } finally {
        ofKey.inProgress -= 1;
        wakeNext(key);
      }
    },
  };
};
