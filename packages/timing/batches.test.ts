import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { type BatchLimits, createBatches } from './batches.ts';

const limits: BatchLimits = { keysMax: 3, inProgressMax: 2, waitingMax: 4 };

/** Returns batches over queries that end when the test resolves them. Each key is its own value; odd keys have none. */
const slowBatches = (some: Partial<BatchLimits> = {}) => {
  const queries: { readonly keys: readonly number[]; readonly end: PromiseWithResolvers<void> }[] = [];
  const read = async (keys: readonly number[]): Promise<ReadonlyMap<number, number>> => {
    const end = Promise.withResolvers<void>();
    queries.push({ keys, end });
    await end.promise;
    return new Map(keys.filter((key) => key % 2 === 0).map((key) => [key, key]));
  };
  return { queries, requestValue: createBatches({ ...limits, ...some }, read, () => new Error('too many')) };
};

describe('requests for keys', () => {
  it('of one turn share one query, also for the same key', async () => {
    const { queries, requestValue } = slowBatches();
    const values = Promise.all([2, 1, 2].map(requestValue));
    await turn();
    expect(queries.map(({ keys }) => keys)).toEqual([[2, 1]]);
    queries[0]?.end.resolve();
    expect(await values).toEqual([2, undefined, 2]);
  });

  it('that come after a query has started get a later one', async () => {
    const { queries, requestValue } = slowBatches();
    const first = requestValue(2);
    await turn();
    const second = requestValue(2);
    await turn();
    expect(queries).toHaveLength(2);
    for (const { end } of queries) end.resolve();
    expect(await Promise.all([first, second])).toEqual([2, 2]);
  });

  it('share the next query while too many are in progress', async () => {
    const { queries, requestValue } = slowBatches();
    const values = [requestValue(2)];
    await turn();
    values.push(requestValue(4));
    await turn();
    values.push(requestValue(6));
    await turn();
    values.push(requestValue(8));
    await turn();
    expect(queries.map(({ keys }) => keys)).toEqual([[2], [4]]);
    queries[0]?.end.resolve();
    await turn();
    expect(queries.map(({ keys }) => keys)).toEqual([[2], [4], [6, 8]]);
    for (const { end } of queries) end.resolve();
    expect(await Promise.all(values)).toEqual([2, 4, 6, 8]);
  });

  it('are refused while too many keys wait', async () => {
    const { queries, requestValue } = slowBatches();
    const values = [2, 4, 6, 8].map(requestValue);
    await expect(requestValue(10)).rejects.toThrow('too many');
    values.push(requestValue(2));
    await turn();
    for (const { end } of queries) end.resolve();
    expect(await Promise.all(values)).toEqual([2, 4, 6, 8, 2]);
  });

  it('fail together with their query, and with no other', async () => {
    const { queries, requestValue } = slowBatches({ keysMax: 1 });
    const outcomes = Promise.allSettled([2, 4].map(requestValue));
    await turn();
    queries[0]?.end.reject(new Error('failed'));
    queries[1]?.end.resolve();
    expect(await outcomes).toMatchObject([{ reason: { message: 'failed' } }, { value: 4 }]);
    const next = requestValue(2);
    await turn();
    queries[2]?.end.resolve();
    expect(await next).toBe(2);
  });

  it('each get their own value, within the limits', async () => {
    const bounds = fc.record({ keysMax: fc.integer({ min: 1, max: 4 }), inProgressMax: fc.integer({ min: 1, max: 3 }) });
    await fc.assert(
      fc.asyncProperty(bounds, fc.array(fc.nat(20), { maxLength: 40 }), async (some, keys) => {
        let inProgress = 0;
        const read = async (batch: readonly number[]): Promise<ReadonlyMap<number, string>> => {
          inProgress += 1;
          expect(inProgress).toBeLessThanOrEqual(some.inProgressMax);
          expect(batch.length).toBeLessThanOrEqual(some.keysMax);
          await turn();
          inProgress -= 1;
          return new Map(batch.map((key) => [key, `value ${key}`]));
        };
        const requestValue = createBatches({ ...some, waitingMax: 100 }, read, () => new Error('too many'));
        expect(await Promise.all(keys.map(requestValue))).toEqual(keys.map((key) => `value ${key}`));
      }),
    );
  });
});
