import { type HttpError, throttled } from '@waymark/http/errors.ts';
import { entriesOf } from '@waymark/http/limits.ts';
import type { Quota, RateLimit } from '@waymark/http/rate-limit.ts';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { rateLimitKeys } from './limits.ts';

/** Counts requests in the memory of this process. */
export const createMemoryRateLimit = (quota: Quota, memoryBytes?: number): RateLimit => {
  const { limiter, noted } = createMemoryLimiter(quota, memoryBytes);
  return limitBy(quota, limiter, noted);
};

/** Creates a limiter in memory. A key is dropped at the end of its window; if there are too many keys, the least recently used one is
 * dropped. The caller must call `noted` with each key. */
export const createMemoryLimiter = (quota: Quota, memoryBytes = Number.POSITIVE_INFINITY) => {
  const limiter = new RateLimiterMemory({ points: quota.points, duration: quota.seconds });
  const keys = new LRUCache<string, true>({
    // Not `max`: with it the library allocates the whole capacity at once, which is a twentieth of the cost of a start.
    maxSize: entriesOf(rateLimitKeys, memoryBytes),
    sizeCalculation: () => 1,
    dispose: (_, key, reason) => void (reason === 'evict' && limiter.delete(key)),
  });
  return { limiter, noted: (key: string) => void keys.set(key, true) };
};

/** The part of a rate limiter that a limit uses. */
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

/** Returns the response to a request above the quota. */
export const refusal = (quota: Quota, spent: RateLimiterRes): HttpError => {
  const seconds = Math.max(1, Math.ceil(spent.msBeforeNext / 1000));
  return throttled(seconds, {
    RateLimit: `"${quota.name}";r=0;t=${seconds}`,
    'RateLimit-Policy': `"${quota.name}";q=${quota.points};w=${quota.seconds}`,
  });
};
