import type { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { limitBy, memoryLimiter, type Quota, type RateLimit } from './rate-limits.ts';

export type RedisRateLimitOptions = {
  readonly redis: Redis;
  /** What keys in Redis begin with. */
  readonly prefix: string;
};

/** Counted in Redis, for all processes together; while it is away by each process in its own memory. What Redis was told and did not
 * acknowledge is counted there and here: nobody is held up, and nobody is counted twice in one place. */
export const redisRateLimit = ({ redis, prefix }: RedisRateLimitOptions, quota: Quota): RateLimit => {
  const memory = memoryLimiter(quota);
  const limiter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: `${prefix}:rate:${quota.name}`,
    points: quota.points,
    duration: quota.seconds,
    insuranceLimiter: memory.limiter,
    rejectIfRedisNotReady: true,
  });
  return limitBy(quota, limiter, memory.noted);
};
