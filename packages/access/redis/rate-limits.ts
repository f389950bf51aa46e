import type { FailureLimit, Quota, RateLimit } from '@waymark/http/rate-limit.ts';
import type { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { failureLimitBy } from '../failure-limits.ts';
import { type Counter, createMemoryLimiter, limitBy } from '../rate-limits.ts';

export type RedisRateLimitOptions = {
  readonly redis: Redis;
  /** The prefix of the keys in Redis. */
  readonly prefix: string;
  /** The memory of the process. The keys that the process counts in its own memory take a part of it. */
  readonly memoryBytes?: number;
};

/** Counts requests in Redis, for all processes together. While Redis is unavailable, each process counts in its own memory. A request that
 * Redis did not acknowledge may be counted in both: no request waits for Redis, and none is counted twice in one place. */
export const createRedisRateLimit = (options: RedisRateLimitOptions, quota: Quota): RateLimit => {
  const { limiter, noted } = redisLimiter(options, quota);
  return limitBy(quota, limiter, noted);
};

/** Counts failures in the same way. */
export const createRedisFailureLimit = (options: RedisRateLimitOptions, quota: Quota): FailureLimit => {
  const { limiter, noted } = redisLimiter(options, quota);
  return failureLimitBy(quota, limiter, noted);
};

const redisLimiter = ({ redis, prefix, memoryBytes }: RedisRateLimitOptions, quota: Quota) => {
  const memory = createMemoryLimiter(quota, memoryBytes);
  const limiter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: `${prefix}:rate:${quota.name}`,
    points: quota.points,
    duration: quota.seconds,
    insuranceLimiter: memory.limiter,
    rejectIfRedisNotReady: true,
  });
  return { limiter: withoutForgedCounts(limiter, memory.limiter, quota.seconds), noted: memory.noted };
};

/** Guards against forged counts. Counts cannot be signed, because Redis itself increments them. A party that writes to Redis can raise or
 * drop a count, and so refuse or allow requests, but for no longer than one window: a count that ends later, or never, is dropped, and the
 * process uses its own count. */
const withoutForgedCounts = (limiter: RateLimiterRedis, own: Counter, seconds: number): Counter => {
  const isForged = (spent: unknown): boolean =>
    spent instanceof RateLimiterRes && (spent.msBeforeNext < 0 || spent.msBeforeNext > seconds * 1_000);
  const drop = (key: string): void => void limiter.delete(key).catch(() => undefined);
  return {
    consume: async (key: string) => {
      try {
        return await limiter.consume(key);
      } catch (spent) {
        if (!isForged(spent)) throw spent;
        drop(key);
        return await own.consume(key);
      }
    },
    get: async (key: string) => {
      const spent = await limiter.get(key);
      if (!isForged(spent)) return spent;
      drop(key);
      return await own.get(key);
    },
  };
};
