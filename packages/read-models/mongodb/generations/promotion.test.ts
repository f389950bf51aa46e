import type { ReadPosition } from '../../read-models.ts';
import type { Pointer } from './pointer.ts';
import { type Promotion, promote } from './switch.ts';

/** Sets up two generations of one partition with an in-memory control. `moves`: the positions that the new one returns, call by
 * call. `replacedBy`: the generation that another process makes the live one once the new one is. */
const switching = (moves: readonly (ReadPosition | undefined)[], { isThere = true, replacedBy = '' } = {}) => {
  let pointer: Pointer | undefined = { revision: 1, read: '1-a', awaited: ['1-a'], still: [] };
  let asked = 0;
  const next = (): ReadPosition | undefined => {
    asked += 1;
    return moves[Math.min(asked, moves.length) - 1];
  };
  const puts: (Pointer & { readonly asked: number })[] = [];
  const control: Promotion['control'] = {
    pointer: async () => pointer,
    putPointer: async (before, after) => {
      if (before?.revision !== pointer?.revision) return false;
      pointer = after;
      puts.push({ ...after, asked });
      if (replacedBy !== '' && after.read === '1-b') pointer = { ...after, revision: after.revision + 1, read: replacedBy, still: ['1-b'] };
      return true;
    },
    setState: async () => isThere,
    readers: { beat: async () => undefined, of: async () => [], forget: async () => undefined },
  };
  const generation: Promotion['generation'] = (name) => ({ positions: async () => [name === '1-a' ? stood(20) : next()] });
  return { puts, promoted: () => promote('1-b', { control, generation }) };
};

const stood = (position: number, incarnation = 'log'): ReadPosition => ({ incarnation, position, event: `event-${position}` });

describe('a promotion', () => {
  it('makes the new generation readable only after it has everything that the live one had when writes began to wait for it', async () => {
    const { puts, promoted } = switching([stood(0), stood(0), stood(7), stood(19), stood(20)]);
    await promoted();
    expect(puts).toEqual([
      { revision: 2, read: '1-a', awaited: ['1-a', '1-b'], still: [], asked: 1 },
      { revision: 3, read: '1-b', awaited: ['1-a', '1-b'], still: [], asked: 5 },
      { revision: 4, read: '1-b', awaited: ['1-b'], still: [], asked: 5 },
    ]);
  });

  it('does not make a generation readable that has lost its position meanwhile', async () => {
    const { puts, promoted } = switching([stood(0), undefined, stood(20)]);
    await promoted();
    expect(puts.find(({ read }) => read === '1-b')).toMatchObject({ asked: 3 });
  });

  it('does not make a generation readable that is of another log', async () => {
    const { puts, promoted } = switching([stood(0), stood(99, 'another')]);
    await expect(promoted()).rejects.toThrow('another log');
    expect(puts.map(({ read }) => read)).toEqual(['1-a']);
  });

  it('ends where another generation has replaced the new one meanwhile', async () => {
    const { puts, promoted } = switching([stood(20)], { replacedBy: '2-c' });
    await expect(promoted()).rejects.toThrow('Another generation has replaced 1-b.');
    expect(puts.map(({ read }) => read)).toEqual(['1-a', '1-b']);
  });

  it('does not start with a generation that is being dropped', async () => {
    const { puts, promoted } = switching([stood(20)], { isThere: false });
    await expect(promoted()).rejects.toThrow('There is no generation');
    expect(puts).toEqual([]);
  });

  it('does not start with a generation that has no position', async () => {
    const { puts, promoted } = switching([undefined]);
    await expect(promoted()).rejects.toThrow('not complete');
    expect(puts).toEqual([]);
  });
});
