import { ledgerFrom, type Refusal } from './ledger.ts';
import { unstarted } from './note.ts';

const settled = (row: number, problems?: unknown) => ({
  row,
  line: row + 1,
  end: row * 10,
  ...(problems === undefined ? {} : { problems }),
});

describe('the progress mark of a load', () => {
  it('is at the last row up to which all rows are answered', () => {
    const ledger = ledgerFrom(unstarted, () => undefined);
    ledger.settle(settled(2));
    ledger.settle(settled(3));
    expect(ledger.mark()).toEqual({ row: 0, end: 0, created: 0, refused: 0 });
    ledger.settle(settled(1));
    expect(ledger.mark()).toEqual({ row: 3, end: 30, created: 3, refused: 0 });
  });

  it('continues from the mark of an earlier run', () => {
    const ledger = ledgerFrom({ row: 7, end: 70, created: 5, refused: 2 }, () => undefined);
    ledger.settle(settled(8));
    expect(ledger.mark()).toEqual({ row: 8, end: 80, created: 6, refused: 2 });
  });
});

describe('refusals', () => {
  it('are reported in the order of the rows, once each', () => {
    const refusals: Refusal[] = [];
    const ledger = ledgerFrom(unstarted, (refusal) => refusals.push(refusal));
    ledger.settle(settled(3, { detail: 'three' }));
    ledger.settle(settled(1, { detail: 'one' }));
    expect(refusals.map(({ row }) => row)).toEqual([1]);
    ledger.settle(settled(2));
    expect(refusals).toEqual([
      { row: 1, line: 2, problems: { detail: 'one' } },
      { row: 3, line: 4, problems: { detail: 'three' } },
    ]);
    expect(ledger.mark()).toMatchObject({ created: 1, refused: 2 });
  });

  it('are not passed by the mark if they cannot be reported', () => {
    const ledger = ledgerFrom(unstarted, () => {
      throw new Error('disk full');
    });
    expect(() => ledger.settle(settled(1, { detail: 'one' }))).toThrow('disk full');
    ledger.settle(settled(2));
    expect(ledger.mark()).toEqual(unstarted);
  });
});
