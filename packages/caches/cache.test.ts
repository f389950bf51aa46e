import { createCache } from './cache.ts';

describe('A cache', () => {
  it('keeps the values that were used last, at most its maximum', () => {
    const cache = createCache<number, string>(2);
    cache.set(1, 'one').set(2, 'two');
    cache.get(1);
    cache.set(3, 'three');
    expect([...cache.keys()].toSorted()).toEqual([1, 3]);
  });

  it('drops a value that is older than its time to live', () => {
    let now = 1;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const cache = createCache<number, string>(2, { ttl: 1_000 });
    cache.set(1, 'one');
    now += 2_000;
    expect(cache.get(1)).toBeUndefined();
  });

  it('takes no memory for what it does not keep', () => {
    const before = process.memoryUsage();
    const caches = Array.from({ length: 10 }, () => createCache<string, string>(1_000_000));
    const after = process.memoryUsage();
    expect(caches).toHaveLength(10);
    expect(after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers).toBeLessThan(10_000_000);
  });
});
