import type { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { type FailureLimit, failureLimitBy } from './failure-limits.ts';
import { limitBy, memoryLimiter, type Quota, type RateLimit } from './rate-limits.ts';

export type RedisRateLimitOptions = {
  readonly redis: Redis;
  /** What keys in Redis begin with. */
  readonly prefix: string;
};

/** Counted in Redis, for all processes together; while it is away by each process in its own memory. What Redis was told and did not
 * acknowledge is counted there and here: nobody is held up, and nobody is counted twice in one place. */
export const redisRateLimit = (options: RedisRateLimitOptions, quota: Quota): RateLimit => {
  const { limiter, noted } = redisLimiter(options, quota);
  return limitBy(quota, limiter, noted);
};

/** Failures, counted in the same way. */
export const redisFailureLimit = (options: RedisRateLimitOptions, quota: Quota): FailureLimit => {
  const { limiter, noted } = redisLimiter(options, quota);
  return failureLimitBy(quota, limiter, noted);
};

const redisLimiter = ({ redis, prefix }: RedisRateLimitOptions, quota: Quota) => {
  const memory = memoryLimiter(quota);
  const limiter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: `${prefix}:rate:${quota.name}`,
    points: quota.points,
    duration: quota.seconds,
    insuranceLimiter: memory.limiter,
    rejectIfRedisNotReady: true,
  });
  return { limiter, noted: memory.noted };
};
