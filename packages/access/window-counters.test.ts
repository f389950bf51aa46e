import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { slotsOfBucket } from './limits.ts';
import type { CountingThread } from './testing/counting-thread.ts';
import { createCounterTable, noCount, openWindowCounters, type WindowCounters } from './window-counters.ts';

const quota = { name: 'requests', points: 10, seconds: 60 };

const addTimes = (counters: WindowCounters, key: string, times: number): number => {
  let points = 0;
  for (let time = 0; time < times; time += 1) points = counters.add(quota, key).points;
  return points;
};

describe('counters of windows', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('count each key of each quota separately, until its window ends', () => {
    jest.useFakeTimers();
    const counters = openWindowCounters();
    expect(counters.get(quota, 'a')).toEqual(noCount);
    expect(addTimes(counters, 'a', 3)).toBe(3);
    expect(counters.add({ ...quota, name: 'tokens' }, 'a').points).toBe(1);
    expect(counters.add(quota, 'b').points).toBe(1);
    jest.advanceTimersByTime(20_000);
    expect(counters.get(quota, 'a')).toEqual({ points: 3, msBeforeNext: 40_000 });
    expect(counters.add(quota, 'a')).toEqual({ points: 4, msBeforeNext: 40_000 });
    jest.advanceTimersByTime(40_000);
    expect(counters.get(quota, 'a')).toEqual(noCount);
    expect(counters.add(quota, 'a')).toEqual({ points: 1, msBeforeNext: 60_000 });
  });

  it('open a new window after the clock was set back', () => {
    jest.useFakeTimers();
    const counters = openWindowCounters();
    addTimes(counters, 'a', 3);
    jest.setSystemTime(Date.now() - 3_600_000);
    expect(counters.add(quota, 'a')).toEqual({ points: 1, msBeforeNext: 60_000 });
  });

  it('replace the key with the smallest count in a full bucket, and never one that is counted more often', () => {
    const counters = openWindowCounters({ table: createCounterTable(1) });
    const heavy = Array.from({ length: slotsOfBucket - 1 }, (_, nth) => `heavy-${nth}`);
    for (const key of heavy) addTimes(counters, key, 2);
    for (let nth = 0; nth < 100; nth += 1) expect(counters.add(quota, `light-${nth}`).points).toBe(1);
    for (const key of heavy) expect(counters.get(quota, key).points).toBe(2);
    expect(counters.get(quota, 'light-98')).toEqual(noCount);
    expect(counters.get(quota, 'light-99').points).toBe(1);
  });

  it('prefer a slot whose window has ended to one with a smaller count', () => {
    jest.useFakeTimers();
    const counters = openWindowCounters({ table: createCounterTable(1) });
    addTimes(counters, 'ended', 9);
    jest.advanceTimersByTime(60_000);
    for (let nth = 0; nth < slotsOfBucket; nth += 1) addTimes(counters, `key-${nth}`, 1);
    for (let nth = 0; nth < slotsOfBucket; nth += 1) expect(counters.get(quota, `key-${nth}`).points).toBe(1);
  });

  it('keep as many keys as the table has room for', () => {
    const counters = openWindowCounters();
    const keys = Array.from({ length: 20_000 }, (_, nth) => `key-${nth}`);
    for (const key of keys) counters.add(quota, key);
    expect(keys.filter((key) => counters.get(quota, key).points !== 1)).toEqual([]);
  });

  it('lose no count of several threads, and count none twice', async () => {
    const table = createCounterTable(1);
    const [threads, times] = [3, 20_000];
    const workerData: CountingThread = { table, keys: ['a', 'b', 'c'], times };
    const counted = await Promise.all(
      Array.from({ length: threads }, async () => {
        const worker = new Worker(new URL('./testing/counting-thread.ts', `file://${import.meta.dirname}/`), { workerData });
        const [message] = (await once(worker, 'message')) as [Record<string, number[]>];
        return message;
      }),
    );
    for (const key of workerData.keys) {
      const points = counted.flatMap((ofThread) => ofThread[key] ?? []).toSorted((a, b) => a - b);
      expect(points).toEqual(Array.from({ length: threads * times }, (_, nth) => nth + 1));
    }
  });

  it('do not wait forever for a thread that ended while it counted', () => {
    const table = createCounterTable(1);
    // The lock of the only bucket, held by a thread that no longer exists.
    new Int32Array(table.memory).fill(1, table.memory.byteLength / 4 - 1);
    expect(openWindowCounters({ table }).add(quota, 'a').points).toBe(1);
  });
});
