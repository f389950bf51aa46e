import { setTimeout as pause } from 'node:timers/promises';
import { MediaUnavailable } from './media.ts';
import { createWorkQueue } from './work-queue.ts';

/** Returns work that ends when the test ends it. */
const held = () => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const started = jest.fn(() => promise);
  return { work: started, started, end: () => resolve('done'), fail: () => reject(new Error('failed')) };
};

const settle = () => pause(1);

describe('turns', () => {
  const limits = { runningMax: 2, waitingMax: 1, timeoutMs: 1_000 };

  it('run up to the limit at once, and the rest in order', async () => {
    const turn = createWorkQueue({ ...limits, waitingMax: 10 });
    const works = Array.from({ length: 5 }, held);
    const results = works.map(({ work }) => turn(work));
    await settle();
    expect(works.map(({ started }) => started.mock.calls.length)).toEqual([1, 1, 0, 0, 0]);
    works[1]?.end();
    await settle();
    expect(works.map(({ started }) => started.mock.calls.length)).toEqual([1, 1, 1, 0, 0]);
    for (const { end } of works) end();
    expect(await Promise.all(results)).toEqual(Array(5).fill('done'));
  });

  it('refuse work while too many wait, and accept it again once fewer wait', async () => {
    const turn = createWorkQueue(limits);
    const works = Array.from({ length: 3 }, held);
    const results = works.map(({ work }) => turn(work));
    await expect(turn(held().work)).rejects.toThrow(MediaUnavailable);
    for (const { end } of works) end();
    await Promise.all(results);
    expect(await turn(async () => 'later')).toBe('later');
  });

  it('continue after failed work, which fails for its own caller only', async () => {
    const turn = createWorkQueue({ ...limits, runningMax: 1 });
    const [first, second] = [held(), held()];
    const results = [turn(first.work), turn(second.work)];
    first.fail();
    second.end();
    expect((await Promise.allSettled(results)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(await turn(async () => 'later')).toBe('later');
  });

  it('stop waiting for work at its time limit, but keep its turn until it ends', async () => {
    const turn = createWorkQueue({ runningMax: 1, waitingMax: 1, timeoutMs: 20 });
    const [stuck, behind, later] = [held(), held(), held()];
    const results = await Promise.allSettled([turn(stuck.work), turn(behind.work)]);
    for (const result of results) expect(result).toMatchObject({ reason: expect.any(MediaUnavailable) });

    await expect(turn(later.work)).rejects.toThrow(MediaUnavailable);
    expect(behind.started).not.toHaveBeenCalled();
    stuck.end();
    await settle();
    expect(behind.started).not.toHaveBeenCalled();
    later.end();
    expect(await turn(later.work)).toBe('done');
  });
});
