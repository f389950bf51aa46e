import { setImmediate as turn } from 'node:timers/promises';
import { createTurnsByKey } from './turns-by-key.ts';

/** Returns turns over works that end when the test lets them. */
const slowTurns = () => {
  const begun: { readonly name: string; readonly end: PromiseWithResolvers<string> }[] = [];
  const turns = createTurnsByKey(2, { max: 3, tooMany: () => new Error('too many') });
  const work = (key: string, name: string): Promise<string> =>
    turns(key, () => {
      const end = Promise.withResolvers<string>();
      begun.push({ name, end });
      return end.promise;
    });
  return { turns, work, begun, names: () => begun.map(({ name }) => name) };
};

describe('works that take turns', () => {
  it('wait for those of their key above the limit, and begin in order', async () => {
    const { work, begun, names } = slowTurns();
    const all = ['a', 'b', 'c', 'd'].map((name) => work('key', name));
    await turn();
    expect(names()).toEqual(['a', 'b']);
    begun[1]?.end.resolve('b');
    await all[1];
    await turn();
    expect(names()).toEqual(['a', 'b', 'c']);
    begun[0]?.end.resolve('a');
    begun[2]?.end.resolve('c');
    await turn();
    await turn();
    begun[3]?.end.resolve('d');
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('do not wait for those of another key, which may begin between two of them', async () => {
    const { turns, work, begun, names } = slowTurns();
    const all = ['a', 'b', 'c'].map((name) => work('key', name));
    await turn();
    begun[0]?.end.resolve('a');
    await all[0];
    expect(await turns('other', async () => [...names()])).toEqual(['a', 'b']);
  });

  it('are refused while too many of their key wait', async () => {
    const { work, begun } = slowTurns();
    const all = ['a', 'b', 'c', 'd', 'e'].map((name) => work('key', name));
    await expect(work('key', 'f')).rejects.toThrow('too many');
    void work('other', 'g');
    for (let nth = 0; nth < 6; nth += 1) {
      begun[nth]?.end.resolve('done');
      await turn();
      await turn();
    }
    expect(await Promise.all(all)).toEqual(Array(5).fill('done'));
  });

  it('let the next one begin when they fail', async () => {
    const { turns, work, begun } = slowTurns();
    const failing = ['a', 'b', 'c'].map((name) =>
      turns('key', async () => {
        throw new Error(name);
      }),
    );
    expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
    const last = work('key', 'd');
    await turn();
    begun[0]?.end.resolve('d');
    expect(await last).toBe('d');
  });
});
