import type { FailureLimit, Quota, RateLimit } from '@waymark/http/rate-limit.ts';
import type { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { failureLimitBy } from '../failure-limits.ts';
import { type Counter, createMemoryLimiter, limitBy } from '../rate-limits.ts';

export type RedisRateLimitOptions = {
  readonly redis: Redis;
  /** What keys in Redis begin with. */
  readonly prefix: string;
  /** Of the process: the keys that it counts by itself take a part of it. */
  readonly memoryBytes?: number;
};

/** Counted in Redis, for all processes together; while it is away by each process in its own memory. What Redis was told and did not
 * acknowledge is counted there and here: nobody is held up, and nobody is counted twice in one place. */
export const createRedisRateLimit = (options: RedisRateLimitOptions, quota: Quota): RateLimit => {
  const { limiter, noted } = redisLimiter(options, quota);
  return limitBy(quota, limiter, noted);
};

/** Failures, counted in the same way. */
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
  return { limiter: sound(limiter, memory.limiter, quota.seconds), noted: memory.noted };
};

/** Counts cannot be signed, as Redis itself adds to them. Whoever writes to Redis can raise or drop one, and so refuse or allow requests, but for
 * no longer than a window: a count that ends later, or never, is dropped, and this process's own is taken. */
const sound = (limiter: RateLimiterRedis, own: Counter, seconds: number): Counter => {
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
