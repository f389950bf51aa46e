import fc from 'fast-check';
import { createAmountTable, openAmounts } from '../counters/open-amounts.ts';
import { type ByteBudget, type ByteHold, createByteBudget } from './byte-budget.ts';

const max = 800;

const newBudget = (amounts = openAmounts()): ByteBudget => createByteBudget({ name: 'files', bytesMax: max, amounts });

/** Takes bytes one by one until the budget refuses.
 * @returns the number of bytes taken */
const fill = (hold: ByteHold, most = max): number => {
  let bytes = 0;
  while (bytes < most && hold.take(1)) bytes += 1;
  return bytes;
};

const halfFull = (): ByteBudget => {
  const budget = newBudget();
  expect(budget.hold('first').take(max / 2)).toBe(true);
  return budget;
};

describe('a byte budget', () => {
  it('lets any caller take bytes while less than half is taken', () => {
    const budget = newBudget();
    for (let nth = 0; nth < 40; nth += 1) expect(budget.hold('one').take(10)).toBe(true);
    expect(budget.takenBytes()).toBe(400);
    expect(budget.hold('one').take(1)).toBe(false);
  });

  it('lets a caller hold an eighth above that', () => {
    const budget = halfFull();
    expect(budget.hold('second').take(60)).toBe(true);
    const further = budget.hold('second');
    expect(further.take(40)).toBe(true);
    expect(further.take(1)).toBe(false);
    expect(budget.takenBytes()).toBe(500);
  });

  it('lets a caller that holds nothing take one whole body, piece by piece, while there is room', () => {
    const budget = halfFull();
    expect(fill(budget.hold('second'))).toBe(400);
    expect(budget.hold('third').take(1)).toBe(false);
  });

  it('lets a caller take a whole body again once it has released everything', () => {
    const budget = halfFull();
    const [one, other] = [budget.hold('second'), budget.hold('second')];
    expect(one.take(200)).toBe(true);
    expect(other.take(1)).toBe(false);
    one.release();
    expect(other.take(200)).toBe(true);
  });

  it('does not let a caller take one whole body after another while it holds other bytes', () => {
    const budget = halfFull();
    const [one, other] = [budget.hold('second'), budget.hold('second')];
    expect(one.take(50)).toBe(true);
    expect(other.take(50)).toBe(true);
    one.release();
    expect(one.take(51)).toBe(false);
    expect(other.take(51)).toBe(false);
  });

  it('never exceeds its maximum', () => {
    const budget = newBudget();
    const callers = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((caller) => budget.hold(caller));
    expect(callers.reduce((sum, hold) => sum + fill(hold), 0)).toBe(max);
  });

  it('accepts the release of a part, and releases no more than was taken', () => {
    const budget = newBudget();
    const hold = budget.hold('one');
    expect(hold.take(100)).toBe(true);
    hold.release(30);
    expect(budget.takenBytes()).toBe(70);
    hold.release(1_000);
    hold.release();
    expect(budget.takenBytes()).toBe(0);
  });

  it('counts the bytes of all threads: a caller has one share, and the budget one maximum', () => {
    const table = createAmountTable();
    const [here, there] = [newBudget(openAmounts({ table })), newBudget(openAmounts({ table }))];
    expect(here.hold('first').take(max / 2)).toBe(true);
    const first = here.hold('second');
    expect(first.take(60)).toBe(true);
    expect(there.hold('second').take(41)).toBe(false);
    expect(there.hold('second').take(40)).toBe(true);
    expect(first.take(200)).toBe(true);
    expect(fill(there.hold('third'))).toBe(100);
    expect([here.takenBytes(), there.takenBytes()]).toEqual([max, max]);
  });

  it('is empty again once everything is released, whatever was taken and refused', () => {
    const step = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(3), fc.boolean(), fc.nat(300));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const budget = newBudget();
        const holds = new Map<string, ByteHold>();
        for (const [caller, nth, takes, bytes] of steps) {
          const name = `${caller}${nth}`;
          const hold = holds.get(name) ?? budget.hold(caller);
          holds.set(name, hold);
          if (takes) hold.take(bytes);
          else hold.release(bytes);
          expect(budget.takenBytes()).toBeGreaterThanOrEqual(0);
          expect(budget.takenBytes()).toBeLessThanOrEqual(max);
        }
        for (const hold of holds.values()) hold.release();
        expect(budget.takenBytes()).toBe(0);
        expect(budget.hold('a').take(max)).toBe(true);
      }),
    );
  });
});
