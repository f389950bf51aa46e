import { setTimeout as pause } from 'node:timers/promises';
import { waitersPerStreamMax } from '../limits.ts';
import { createStreamTurns } from './streams-in-turn.ts';

const stuck = () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { work: () => promise, end: () => resolve('done') };
};

describe('work on one stream', () => {
  it('runs one piece after the other, even after a failed one', async () => {
    const run = createStreamTurns();
    const order: string[] = [];
    const work = (name: string, ms: number, fails = false) =>
      run('pinpoint-1', async () => {
        order.push(`${name} begins`);
        await pause(ms);
        order.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      });
    const all = await Promise.allSettled([work('first', 20), work('second', 5, true), work('third', 0)]);
    expect(order).toEqual(['first begins', 'first ends', 'second begins', 'second ends', 'third begins', 'third ends']);
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('does not wait for work on another stream', async () => {
    const run = createStreamTurns();
    const { work, end } = stuck();
    const first = run('pinpoint-1', work);
    expect(await run('pinpoint-2', async () => 'other')).toBe('other');
    end();
    expect(await first).toBe('done');
  });

  it('is refused with 503 if its turn does not come in time, and does not run later', async () => {
    const run = createStreamTurns(30);
    const { work, end } = stuck();
    const first = run('pinpoint-1', work);
    const late = jest.fn(async () => 'late');
    await expect(run('pinpoint-1', late)).rejects.toMatchObject({ status: 503 });
    end();
    expect(await first).toBe('done');
    expect(await run('pinpoint-1', async () => 'next')).toBe('next');
    expect(late).not.toHaveBeenCalled();
  });

  it('never overlaps earlier work, however many pieces in between have timed out', async () => {
    const run = createStreamTurns(30);
    const { work, end } = stuck();
    const first = run('pinpoint-1', work);
    await Promise.allSettled([run('pinpoint-1', async () => 'late'), run('pinpoint-1', async () => 'later')]);
    const next = jest.fn(async () => 'next');
    const running = run('pinpoint-1', next);
    await pause(5);
    expect(next).not.toHaveBeenCalled();
    end();
    await first;
    expect(await running).toBe('next');
  });

  it('is refused if too many pieces wait', async () => {
    const run = createStreamTurns();
    const { work, end } = stuck();
    const waiting = Array.from({ length: waitersPerStreamMax }, () => run('pinpoint-1', work));
    await expect(run('pinpoint-1', work)).rejects.toMatchObject({ status: 503 });
    end();
    await Promise.all(waiting);
  });
});
