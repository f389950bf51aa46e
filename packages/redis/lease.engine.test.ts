import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import type { Redis } from 'ioredis';
import { createRedisLease, type Lease } from './lease.ts';
import { testConnections, until } from './testing/connections.ts';

const { direct, byPassage, closing, opened } = testConnections();
const renewEveryMs = 50;

const lease = (redis: Redis, key: string, endsAfterMs = 60_000): Lease =>
  closing(createRedisLease({ redis, key, endsAfterMs, renewEveryMs }));
const turns = (count: number) => new Promise((resolve) => setTimeout(resolve, count * renewEveryMs));

describe('a lease without a Redis', () => {
  it('is held by every process', async () => {
    const redis = opened({ url: 'redis://127.0.0.1:1' });
    const [one, other] = [lease(redis, 'key'), lease(redis, 'key')];
    await until(() => one.holds() && other.holds());
    await one.close();
    expect(one.holds()).toBe(false);
  });
});

describeOn(['redis'], 'a lease', () => {
  it('is held by one of all processes that try to take it, and kept', async () => {
    const key = ownName('lease');
    const leases = [lease(await direct(), key), lease(await direct(), key), lease(await direct(), key)];
    const holders = () => leases.filter(({ holds }) => holds());
    await until(() => holders().length > 0);
    const [first] = holders();
    for (let time = 0; time < 10; time += 1) {
      await turns(1);
      expect(holders()).toEqual([first]);
    }
  });

  it('passes to another process at once when it is released, and only then', async () => {
    const key = ownName('lease');
    const one = lease(await direct(), key);
    await until(one.holds);
    const other = lease(await direct(), key);
    await turns(4);
    expect(other.holds()).toBe(false);
    await one.close();
    expect(one.holds()).toBe(false);
    await until(other.holds);
  });

  it('is released before closing ends, and is neither renewed nor taken afterwards', async () => {
    const key = ownName('lease');
    const others = await direct();
    const one = lease(await direct(), key);
    await until(one.holds);
    await one.close();
    expect(await others.get(key)).toBeNull();
    await turns(4);
    expect(await others.get(key)).toBeNull();
  });

  it('is not held before Redis has answered', async () => {
    const key = ownName('lease');
    const { redis, passage } = await byPassage();
    passage.freeze();
    const one = lease(redis, key);
    expect(one.holds()).toBe(false);
    await passage.heal();
    await until(one.holds);
  });

  it('passes to another process when its holder no longer renews it', async () => {
    const key = ownName('lease');
    const { redis, passage } = await byPassage();
    const one = lease(redis, key, 1_000);
    await until(one.holds);
    const other = lease(await direct(), key, 1_000);
    await turns(4);
    expect(other.holds()).toBe(false);
    await passage.cut();
    await until(other.holds);
    // The first holder does not know of the second one. Two holders at once do no harm.
    await until(one.holds);
    await passage.heal();
    await until(() => !one.holds());
    expect(other.holds()).toBe(true);
  });

  it('is taken again by one process after Redis was wiped', async () => {
    const key = ownName('lease');
    const others = await direct();
    const leases = [lease(await direct(), key), lease(await direct(), key)];
    const holders = () => leases.filter(({ holds }) => holds()).length;
    await until(() => holders() === 1);
    await others.del(key);
    await until(() => others.get(key));
    await turns(4);
    expect(holders()).toBe(1);
  });

  it('is not released where another process holds it', async () => {
    const key = ownName('lease');
    const others = await direct();
    const one = lease(await direct(), key);
    await until(one.holds);
    await others.set(key, 'somebody else', 'PX', 60_000);
    await until(() => !one.holds());
    await one.close();
    expect(await others.get(key)).toBe('somebody else');
    await others.del(key);
  });

  it.each<readonly [string, (others: Redis, key: string) => Promise<unknown>]>([
    ['never ends', (others, key) => others.set(key, 'somebody else')],
    ['ends later than any renewed one', (others, key) => others.set(key, 'somebody else', 'PX', 86_400_000)],
  ])('is taken from another holder where it %s', async (_, forge) => {
    const key = ownName('lease');
    const others = await direct();
    await forge(others, key);
    const one = lease(await direct(), key);
    await until(one.holds);
    expect(await others.pttl(key)).toBeLessThanOrEqual(60_000);
  });

  it('is held by every process while Redis hangs', async () => {
    const key = ownName('lease');
    const [first, second] = [await byPassage(), await byPassage()];
    const [one, other] = [lease(first.redis, key), lease(second.redis, key)];
    await until(() => one.holds() !== other.holds());
    first.passage.freeze();
    second.passage.freeze();
    await until(() => one.holds() && other.holds());
    await first.passage.heal();
    await second.passage.heal();
    await until(() => one.holds() !== other.holds());
  });
});
