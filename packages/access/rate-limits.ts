import { type HttpError, throttled } from '@waymark/http/errors.ts';
import { entriesOf } from '@waymark/http/limits.ts';
import type { Quota, RateLimit } from '@waymark/http/rate-limit.ts';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { rateLimitKeys } from './limits.ts';

/** In this process's memory. */
export const createMemoryRateLimit = (quota: Quota, memoryBytes?: number): RateLimit => {
  const { limiter, noted } = createMemoryLimiter(quota, memoryBytes);
  return limitBy(quota, limiter, noted);
};

/** Keys are forgotten with their window; of too many keys, those that were longest unused: `noted` is to be called with each. */
export const createMemoryLimiter = (quota: Quota, memoryBytes = Number.POSITIVE_INFINITY) => {
  const limiter = new RateLimiterMemory({ points: quota.points, duration: quota.seconds });
  const keys = new LRUCache<string, true>({
    // Not as `max`, for which the library takes all the room at once: a twentieth of what a start costs.
    maxSize: entriesOf(rateLimitKeys, memoryBytes),
    sizeCalculation: () => 1,
    dispose: (_, key, reason) => void (reason === 'evict' && limiter.delete(key)),
  });
  return { limiter, noted: (key: string) => void keys.set(key, true) };
};

/** What a limit needs of what counts. */
export type Counter = {
  /** @throws RateLimiterRes above the quota */
  readonly consume: (key: string) => Promise<RateLimiterRes>;
  readonly get: (key: string) => Promise<RateLimiterRes | null>;
};

export const limitBy = (quota: Quota, limiter: Counter, noted: (key: string) => void): RateLimit => ({
  take: async (key) => {
    noted(key);
    try {
      await limiter.consume(key);
    } catch (spent) {
      throw spent instanceof RateLimiterRes ? refusal(quota, spent) : spent;
    }
  },
});

/** The answer above a quota. */
export const refusal = (quota: Quota, spent: RateLimiterRes): HttpError => {
  const seconds = Math.max(1, Math.ceil(spent.msBeforeNext / 1000));
  return throttled(seconds, {
    RateLimit: `"${quota.name}";r=0;t=${seconds}`,
    'RateLimit-Policy': `"${quota.name}";q=${quota.points};w=${quota.seconds}`,
  });
};
