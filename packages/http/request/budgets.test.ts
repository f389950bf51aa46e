import { bodyBytesMax, formBytesMax, operatorBodiesBytesMax, plainBodyBytesMax } from '../limits.ts';
import { createBudgets, createOperatorBudgets } from './budgets.ts';

const mebibyte = 1024 * 1024;

/** Returns how many bytes different callers can take in total, one after the other. */
const roomIn = (budget: ReturnType<typeof createBudgets>['files']): number => {
  for (let caller = 0; budget.hold(`${caller}`).take(64 * 1024); caller += 1);
  return budget.takenBytes();
};

describe('the byte budgets of a process', () => {
  it.each([
    [512, { files: 64, plain: 16, forms: 4, responses: 48 }],
    [64, { files: 8, plain: 2, forms: 1, responses: 8 }],
    [1_000_000, { files: 256, plain: 64, forms: 16, responses: 256 }],
  ])('are shares of its memory, between bounds: %d MiB', (memoryMb, mebibytes) => {
    const { files, plain, forms, responses } = createBudgets(memoryMb * mebibyte);
    const rooms = { files: roomIn(files), plain: roomIn(plain), forms: roomIn(forms), responses: roomIn(responses) };
    expect(rooms).toEqual(Object.fromEntries(Object.entries(mebibytes).map(([name, room]) => [name, room * mebibyte])));
  });

  it('have room for one whole body of each kind, however little memory there is', () => {
    const budgets = createBudgets(0);
    expect(budgets.files.hold('a').take(bodyBytesMax)).toBe(true);
    expect(budgets.plain.hold('a').take(plainBodyBytesMax)).toBe(true);
    expect(budgets.forms.hold('a').take(formBytesMax)).toBe(true);
  });

  it('of an operator port may be used up by one caller', () => {
    const { files } = createOperatorBudgets();
    for (let bodies = 0; bodies < operatorBodiesBytesMax / bodyBytesMax; bodies += 1)
      expect(files.hold('operator').take(bodyBytesMax)).toBe(true);
    expect(files.hold('operator').take(1)).toBe(false);
  });
});
