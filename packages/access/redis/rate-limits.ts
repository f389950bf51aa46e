import type { FailureLimit, Quota, RateLimit } from '@waymark/http/rate-limit.ts';
import type { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { failureLimitBy } from '../failure-limits.ts';
import { type Counter, counterIn, limitBy } from '../rate-limits.ts';
import { noCount, type WindowCount, type WindowCounters } from '../window-counters.ts';

export type RedisRateLimitOptions = {
  readonly redis: Redis;
  /** The prefix of the keys in Redis. */
  readonly prefix: string;
  /** The counters of this process, for the time in which Redis is unavailable. */
  readonly counters: WindowCounters;
};

/** Counts requests in Redis, for all processes together. While Redis is unavailable, each process counts in its own memory. A request that
 * Redis did not acknowledge may be counted in both: no request waits for Redis, and none is counted twice in one place. */
export const createRedisRateLimit = (options: RedisRateLimitOptions, quota: Quota): RateLimit =>
  limitBy(quota, redisCounter(options, quota));

/** Counts failures in the same way. */
export const createRedisFailureLimit = (options: RedisRateLimitOptions, quota: Quota): FailureLimit =>
  failureLimitBy(quota, redisCounter(options, quota));

/** Counts are not signed, because Redis itself increments them. A party that writes to Redis can raise or drop a count, and so refuse or allow
 * requests, but for no longer than one window: a count that ends later, or never, is dropped, and the process uses its own count. So is a
 * value that is no count. */
const redisCounter = ({ redis, prefix, counters }: RedisRateLimitOptions, quota: Quota): Counter => {
  const limiter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: `${prefix}:rate:${quota.name}`,
    points: quota.points,
    duration: quota.seconds,
    rejectIfRedisNotReady: true,
  });
  const own = counterIn(counters, quota);
  const dropForged = (key: string, count: WindowCount | undefined): WindowCount | undefined => {
    if (count === undefined || (count.points >= 0 && count.msBeforeNext >= 0 && count.msBeforeNext <= quota.seconds * 1_000)) return count;
    void limiter.delete(key).catch(() => undefined);
    return undefined;
  };
  return {
    add: async (key) => dropForged(key, await limiter.consume(key).then(countOf, countOfRefusal)) ?? own.add(key),
    get: async (key) => dropForged(key, await limiter.get(key).then(countOf, () => undefined)) ?? own.get(key),
  };
};

const countOf = (found: RateLimiterRes | null): WindowCount =>
  found === null ? noCount : { points: found.consumedPoints, msBeforeNext: found.msBeforeNext };

/** Above the quota, the library rejects with the count. Any other rejection means that Redis is unavailable. */
const countOfRefusal = (reason: unknown): WindowCount | undefined => (reason instanceof RateLimiterRes ? countOf(reason) : undefined);
