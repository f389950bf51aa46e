import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { amountMax, bucketsOfAmounts, connectionsMax, slotsOfBucket } from '../limits.ts';
import type { Taken, TakingThread } from '../testing/taking-thread.ts';
import { createAmountTable, type OpenAmounts, oneLess, oneMore, openAmounts } from './open-amounts.ts';

const amountOf = (amounts: OpenAmounts, key: string): number => {
  let seen = 0;
  amounts.change(key, (amount) => {
    seen = amount;
    return undefined;
  });
  return seen;
};

const keysOf = (count: number): readonly string[] => Array.from({ length: count }, (_, nth) => `key-${nth}`);

describe('open amounts', () => {
  it('of a key begin at 0, and change until a step refuses', () => {
    const amounts = openAmounts();
    expect(amountOf(amounts, 'a')).toBe(0);
    expect([1, 2, 3].map(() => amounts.change('a', oneMore(2)))).toEqual([true, true, false]);
    expect(amounts.change('b', () => amountMax)).toBe(true);
    expect([amountOf(amounts, 'a'), amountOf(amounts, 'b')]).toEqual([2, amountMax]);
    amounts.change('a', oneLess);
    expect(amounts.change('a', oneMore(2))).toBe(true);
  });

  it('are the same for all that open the table', () => {
    const table = structuredClone(createAmountTable());
    const [here, there] = [openAmounts({ table }), openAmounts({ table })];
    here.change('a', oneMore(1));
    here.totals.files.change(() => 5);
    expect([there.change('a', oneMore(1)), there.totals.files.value()]).toEqual([false, 5]);
    there.change('a', oneLess);
    expect(amountOf(here, 'a')).toBe(0);
  });

  it('need a slot only while they are not 0: a full bucket has no room for a further key', () => {
    const amounts = openAmounts({ table: createAmountTable(1) });
    const keys = keysOf(slotsOfBucket);
    for (let round = 0; round < 3; round += 1) {
      expect(keys.every((key) => amounts.change(key, oneMore(1)))).toBe(true);
      expect(amounts.change('another', oneMore(1))).toBe(false);
      expect(keys.map((key) => amountOf(amounts, key))).toEqual(keys.map(() => 1));
      for (const key of keys) amounts.change(key, oneLess);
    }
    expect(amounts.change('another', oneMore(1))).toBe(true);
  });

  it('have room for as many keys as there may be connections, twice', () => {
    const amounts = openAmounts();
    expect(keysOf(2 * connectionsMax).every((key) => amounts.change(key, oneMore(1)))).toBe(true);
    expect(bucketsOfAmounts * slotsOfBucket).toBeGreaterThanOrEqual(4 * connectionsMax);
  });

  it('of several threads never exceed their limit, and are 0 when all is released', async () => {
    const table = createAmountTable(1);
    const keys = ['a', 'b', 'c'];
    const awaited = new SharedArrayBuffer(4);
    new Int32Array(awaited)[0] = 3;
    const workerData: TakingThread = { table, keys, times: 20_000, kept: 20, most: 3, bytesMax: 40, awaited };
    const url = new URL('../testing/taking-thread.ts', `file://${import.meta.dirname}/`);
    const workers = [1, 2, 3].map(() => new Worker(url, { workerData }));
    const messages = await Promise.all(workers.map((worker) => once(worker, 'message'))).finally(() =>
      Promise.all(workers.map((worker) => worker.terminate())),
    );
    const threads = messages.map(([taken]) => taken as Taken);
    const sum = (part: 'granted' | 'refused'): number => threads.reduce((all, taken) => all + taken[part], 0);
    expect(sum('granted') + sum('refused')).toBe(3 * 2 * 3 * workerData.times);
    expect(Math.min(sum('granted'), sum('refused'))).toBeGreaterThan(0);
    for (const { most, bytes } of threads) {
      expect(most).toBeLessThanOrEqual(workerData.most);
      expect(bytes).toBeLessThanOrEqual(workerData.bytesMax);
    }
    const amounts = openAmounts({ table });
    expect(keys.flatMap((key) => [amountOf(amounts, key), amountOf(amounts, `files:${key}`)])).toEqual([0, 0, 0, 0, 0, 0]);
    expect(amounts.totals.files.value()).toBe(0);
  });
});
