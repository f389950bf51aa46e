import fc from 'fast-check';
import { ReadModelsUnavailable } from '../../read-models.ts';
import { leaseMs, promoteStepsMax, refreshMs } from '../limits.ts';
import { readBy } from './control.ts';
import { createLease } from './lease.ts';
import type { Pointer } from './pointer.ts';
import { versionOf } from './registry.ts';
import { nextMove } from './switch.ts';

const names = ['1-a', '1-b', '2-c', '2-d', '3-e'];

describe('the switch of generations', () => {
  it('starts at once where no generation was live', () => {
    expect(nextMove('1-a', undefined)).toEqual({ to: { read: '1-a', awaited: ['1-a'], still: [] }, condition: { type: 'none' } });
  });

  it('starts at once where the pointer was withdrawn', () => {
    const withdrawn: Pointer = { revision: 7, read: null, awaited: [], still: [] };
    expect(nextMove('1-a', withdrawn)).toEqual({ to: { read: '1-a', awaited: ['1-a'], still: [] }, condition: { type: 'none' } });
  });

  it('lets readers of every earlier version continue, except those of the generation that is read again', () => {
    const second: Pointer = { revision: 7, read: '2-c', awaited: ['1-a', '2-c', '3-e'], still: ['1-a'] };
    expect(nextMove('3-e', second)?.to).toEqual({ read: '3-e', awaited: ['1-a', '2-c', '3-e'], still: ['1-a', '2-c'] });
    expect(nextMove('1-a', second)?.to).toEqual({ read: '1-a', awaited: ['1-a', '2-c', '3-e'], still: ['2-c'] });
  });

  it('changes between generations of the same version in three steps', () => {
    expect(stepsTo('1-b', { revision: 1, read: '1-a', awaited: ['1-a'], still: [] })).toEqual([
      { revision: 2, read: '1-a', awaited: ['1-a', '1-b'], still: [] },
      { revision: 3, read: '1-b', awaited: ['1-a', '1-b'], still: [] },
      { revision: 4, read: '1-b', awaited: ['1-b'], still: [] },
    ]);
  });

  it('lets readers of another version continue for a while', () => {
    expect(stepsTo('2-c', { revision: 1, read: '1-a', awaited: ['1-a'], still: [] })).toEqual([
      { revision: 2, read: '1-a', awaited: ['1-a', '2-c'], still: [] },
      { revision: 3, read: '2-c', awaited: ['1-a', '2-c'], still: ['1-a'] },
      { revision: 4, read: '2-c', awaited: ['1-a', '2-c'], still: [] },
      { revision: 5, read: '2-c', awaited: ['2-c'], still: [] },
    ]);
  });

  it('never allows a read of a generation that writes did not wait for, for any promotions, while all processes are at most one step behind', () => {
    const promotions = fc.array(fc.record({ name: fc.constantFrom(...names), steps: fc.integer({ min: 1, max: 6 }) }), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(promotions, (all) => {
        let pointer: Pointer | undefined;
        for (const { name, steps } of all) {
          for (const next of stepsTo(name, pointer).slice(0, steps)) {
            for (const version of [1, 2, 3]) {
              for (const seen of [pointer, next]) {
                const read = seen && readBy(version, seen);
                if (read === undefined) continue;
                expect(versionOf(read)).toBe(version);
                expect(next.awaited).toContain(read);
                if (pointer) expect(pointer.awaited).toContain(read);
              }
            }
            pointer = next;
          }
        }
      }),
    );
  });

  it('waits until the new generation has caught up before it is read, and until the old one is no longer read', () => {
    const both = { revision: 2, read: '1-a', awaited: ['1-a', '2-c'], still: [] };
    expect(nextMove('2-c', both)?.condition).toEqual({ type: 'caught-up', name: '2-c', with: '1-a' });
    expect(nextMove('2-c', { ...both, read: '2-c', still: ['1-a'] })?.condition).toEqual({ type: 'unread', names: ['1-a'] });
  });
});

const stepsTo = (name: string, from: Pointer | undefined): Pointer[] => {
  const steps: Pointer[] = [];
  let pointer = from;
  for (let count = 0; count < promoteStepsMax; count += 1) {
    const move = nextMove(name, pointer);
    if (!move) return steps;
    pointer = { ...move.to, revision: (pointer?.revision ?? 0) + 1 };
    steps.push(pointer);
  }
  throw new Error('The switch does not end.');
};

describe('the known pointer of a process', () => {
  const pointer: Pointer = { revision: 1, read: '1-a', awaited: ['1-a'], still: [] };

  const leaseAt = () => {
    const setup = { now: 0, asked: 0, stored: pointer as Pointer | undefined | Error };
    const lease = createLease(
      async () => {
        setup.asked += 1;
        if (setup.stored instanceof Error) throw setup.stored;
        return setup.stored;
      },
      () => setup.now,
    );
    return { setup, lease };
  };

  it('is read once, then again after a while, and is available at once in between', async () => {
    const { setup, lease } = leaseAt();
    await Promise.all([lease.known(), lease.known()]);
    expect(setup.asked).toBe(1);
    setup.now = refreshMs - 1;
    expect(lease.known()).toMatchObject({ pointer });
    expect(setup.asked).toBe(1);
    setup.now = refreshMs;
    setup.stored = { ...pointer, revision: 2 };
    expect(lease.known()).toMatchObject({ pointer: { revision: 1 } });
    await Promise.resolve().then(() => new Promise(setImmediate));
    expect(lease.known()).toMatchObject({ pointer: { revision: 2 } });
    expect(setup.asked).toBe(2);
  });

  it('is valid no longer than its lease where it cannot be read again, for new and for running requests', async () => {
    const { setup, lease } = leaseAt();
    const known = await lease.known();
    setup.stored = new ReadModelsUnavailable('away');
    setup.now = leaseMs - 1;
    await lease.check(known);
    await lease.known();
    setup.now = leaseMs;
    await expect(async () => lease.check(known)).rejects.toThrow('away');
    await expect(async () => lease.known()).rejects.toThrow(ReadModelsUnavailable);
    setup.stored = pointer;
    await lease.check(known);
    setup.stored = { ...pointer, revision: 2 };
    lease.discard();
    await expect(async () => lease.check(known)).rejects.toThrow('Another generation');
  });

  it.each([
    ['answered', (answer: (pointer: Pointer) => void) => answer(pointer)],
    ['refused', (_: unknown, refuse: (error: Error) => void) => refuse(new ReadModelsUnavailable('too late'))],
  ])('is read once more by a process that was paused, whose query was %s too late', async (_, settle) => {
    const questions: { readonly answer: (pointer: Pointer) => void; readonly refuse: (error: Error) => void }[] = [];
    let now = 0;
    const lease = createLease(
      () => new Promise((answer, refuse) => questions.push({ answer, refuse })),
      () => now,
    );
    const early = Promise.allSettled([lease.known()]);
    now = leaseMs;
    const late = lease.known();
    settle(questions[0]?.answer as (pointer: Pointer) => void, questions[0]?.refuse as (error: Error) => void);
    await new Promise(setImmediate);
    questions[1]?.answer({ ...pointer, revision: 2 });
    expect(await late).toMatchObject({ pointer: { revision: 2 } });
    await early;
    expect(questions).toHaveLength(2);
  });

  it('is not the result of a query from before it was discarded', async () => {
    const questions: ((pointer: Pointer) => void)[] = [];
    let now = 0;
    const lease = createLease(
      () => new Promise((resolve) => questions.push(resolve)),
      () => now,
    );
    const early = lease.known();
    now = 1;
    lease.discard();
    const late = lease.known();
    questions[1]?.({ ...pointer, revision: 2 });
    expect(await late).toMatchObject({ pointer: { revision: 2 } });
    questions[0]?.(pointer);
    expect(await early).toMatchObject({ pointer: { revision: 2 } });
    expect(await lease.known()).toMatchObject({ pointer: { revision: 2 } });
  });

  it('is read once more where the only result is of a query from before it was discarded', async () => {
    const questions: ((pointer: Pointer) => void)[] = [];
    let now = 0;
    const lease = createLease(
      () => new Promise((resolve) => questions.push(resolve)),
      () => now,
    );
    const early = lease.known();
    now = 1;
    lease.discard();
    questions[0]?.(pointer);
    await new Promise(setImmediate);
    questions[1]?.({ ...pointer, revision: 2 });
    expect(await early).toMatchObject({ pointer: { revision: 2 } });
  });

  it('is unavailable where there is no pointer', async () => {
    const { setup, lease } = leaseAt();
    setup.stored = undefined;
    await expect(async () => lease.known()).rejects.toThrow('No generation');
  });
});
