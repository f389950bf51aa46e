import { failedAuthentication } from '@waymark/http/authentication-failures.ts';
import { HttpError, invalidToken } from '@waymark/http/errors.ts';
import type { RateLimit } from '@waymark/http/rate-limit.ts';
import { ready, testConnections, until } from '@waymark/redis/testing/connections.ts';
import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import type { Redis } from 'ioredis';
import { openWindowCounters } from '../window-counters.ts';
import { createRedisFailureLimit, createRedisRateLimit } from './rate-limits.ts';

const { direct, byPassage, opened } = testConnections();
/** The window is longer than any test. */
const quota = { name: 'tokens', points: 10, seconds: 600 };

const limitOn = (redis: Redis, prefix: string): RateLimit => createRedisRateLimit({ redis, prefix, counters: openWindowCounters() }, quota);

const refusal = async (work: void | Promise<void>): Promise<HttpError | undefined> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
  return undefined;
};

/** Returns how many of `count` concurrent calls were let through. */
const letThrough = async (count: number, take: (index: number) => void | Promise<void>): Promise<number> => {
  const refusals = await Promise.all(Array.from({ length: count }, (_, index) => refusal(take(index))));
  return refusals.filter((problem) => problem === undefined).length;
};

/** Asserts that the limit lets exactly the quota through. */
const holds = async (limit: RateLimit): Promise<void> => {
  const key = ownName('key');
  for (let time = 0; time < quota.points; time += 1) await limit.take(key);
  expect(await refusal(limit.take(key))).toMatchObject({ status: 429, headers: { 'RateLimit-Policy': '"tokens";q=10;w=600' } });
};

describe('a rate limit, while Redis is unavailable', () => {
  it('is enforced in memory', async () => {
    await holds(limitOn(opened({ url: 'redis://127.0.0.1:1' }), 'prefix'));
  });
});

describeOn(['redis'], 'a rate limit in Redis', () => {
  it('is enforced, and returns how long to wait', async () => {
    const limit = limitOn(await direct(), ownName('limits'));
    await holds(limit);
    const key = ownName('key');
    await letThrough(quota.points, () => limit.take(key));
    const seconds = Number((await refusal(limit.take(key)))?.headers['Retry-After']);
    expect(seconds).toBeGreaterThan(quota.seconds - 60);
    expect(seconds).toBeLessThanOrEqual(quota.seconds);
  });

  it('is enforced by two processes together, concurrently and in turn', async () => {
    const prefix = ownName('limits');
    const limits = [limitOn(await direct(), prefix), limitOn(await direct(), prefix)] as const;
    const key = ownName('key');
    expect(await letThrough(40, (index) => limits[index % 2 === 0 ? 0 : 1].take(key))).toBe(quota.points);
    for (const limit of limits) expect(await refusal(limit.take(key))).toMatchObject({ status: 429 });
    expect(await letThrough(1, () => limits[0].take(ownName('key')))).toBe(1);
  });

  it('is separate for another name or another prefix', async () => {
    const [redis, prefix, key] = [await direct(), ownName('limits'), ownName('key')];
    await letThrough(quota.points, () => limitOn(redis, prefix).take(key));
    expect(await refusal(limitOn(redis, prefix).take(key))).toMatchObject({ status: 429 });
    await createRedisRateLimit({ redis, prefix, counters: openWindowCounters() }, { ...quota, name: 'failures' }).take(key);
    await limitOn(redis, ownName('limits')).take(key);
  });

  it('counts the failures of two processes together', async () => {
    const prefix = ownName('limits');
    const options = [
      { redis: await direct(), prefix, counters: openWindowCounters() },
      { redis: await direct(), prefix, counters: openWindowCounters() },
    ] as const;
    const [one, other] = [createRedisFailureLimit(options[0], quota), createRedisFailureLimit(options[1], quota)];
    const key = ownName('key');
    const guess = () => Promise.reject(failedAuthentication(invalidToken(), 'unknown-token'));
    for (let made = 0; made < quota.points; made += 1) {
      await expect((made % 2 === 0 ? one : other).attempt(key, guess)).rejects.toMatchObject({ status: 401 });
    }
    for (const limit of [one, other]) await expect(limit.attempt(key, guess)).rejects.toMatchObject({ status: 429 });
  });

  it('leaves nothing in Redis after its window', async () => {
    const [redis, prefix] = [await direct(), ownName('limits')];
    await limitOn(redis, prefix).take('key');
    const [key = ''] = await redis.keys(`${prefix}*`);
    const ttl = await redis.ttl(key);
    expect(ttl > 0 && ttl <= quota.seconds).toBe(true);
  });

  it('is enforced in memory while Redis is down or frozen, and in Redis again afterwards', async () => {
    const prefix = ownName('limits');
    const { redis, passage } = await byPassage();
    const limit = limitOn(redis, prefix);
    const key = ownName('key');
    await letThrough(quota.points, () => limit.take(key));
    for (const interrupt of [passage.cut, async () => passage.freeze()]) {
      await interrupt();
      await holds(limit);
      await until(() => redis.status !== 'ready');
      await holds(limit);
      await passage.heal();
      await ready(redis);
      await until(async () => (await refusal(limit.take(key)))?.status === 429);
    }
  });

  it('counts a request once, even if the response of Redis was lost', async () => {
    const prefix = ownName('limits');
    const { redis, passage } = await byPassage();
    const limit = limitOn(redis, prefix);
    const key = ownName('key');
    await limit.take(key);
    passage.loseAnswers();
    await limit.take(key);
    await passage.heal();
    await ready(redis);
    await limit.take(key);
    const others = await direct();
    const [counter = ''] = await others.keys(`${prefix}*`);
    expect(await others.get(counter)).toBe('3');
  });

  it('continues after Redis was wiped, including its scripts', async () => {
    const redis = await direct();
    const limit = limitOn(redis, ownName('limits'));
    await holds(limit);
    await redis.script('FLUSH');
    await holds(limit);
  });

  describe('where another party writes to Redis,', () => {
    const forged = async (value: string, ...expiry: readonly string[]) => {
      const [redis, prefix, key] = [await direct(), ownName('limits'), ownName('key')];
      await redis.call('set', `${prefix}:rate:${quota.name}:${key}`, value, ...expiry);
      return { redis, prefix, key };
    };
    const wrong = () => Promise.reject(failedAuthentication(invalidToken(), 'unknown-token'));

    it.each([
      ['a count that never ends', '1000000', []],
      ['a count that ends after more than a window', '1000000', ['PX', '86400000']],
      ['a value that is no count', 'no count', ['PX', `${quota.seconds * 1_000}`]],
      ['a negative count', '-1000000', ['PX', `${quota.seconds * 1_000}`]],
    ])('neither refuses nor delays attempts by %s, and drops it', async (_, value, expiry) => {
      const { redis, prefix, key } = await forged(value, ...expiry);
      const limit = createRedisFailureLimit({ redis, prefix, counters: openWindowCounters() }, quota);
      await expect(limit.attempt(key, wrong)).rejects.toMatchObject({ status: 401 });
      await until(async () => [0, 1].includes(Number(await redis.get(`${prefix}:rate:${quota.name}:${key}`))));
      expect(await limit.attempt(key, async () => 'right')).toBe('right');
    });

    it('does not refuse requests for longer than one window', async () => {
      const { redis, prefix, key } = await forged('1000000', 'PX', '86400000');
      const limit = limitOn(redis, prefix);
      await limit.take(key);
      await until(async () => Number(await redis.get(`${prefix}:rate:${quota.name}:${key}`)) < quota.points);
      expect(await letThrough(2 * quota.points, () => limit.take(key))).toBe(quota.points);
    });
  });
});
