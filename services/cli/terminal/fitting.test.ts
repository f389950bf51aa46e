import { columnsElsewhere } from '../limits.ts';
import { fittedTable, shortened, terminalColumns } from './fitting.ts';

describe('a shortened text', () => {
  it('has at most the given characters, and marks what is missing', () => {
    expect(shortened('Harbour', 7)).toBe('Harbour');
    expect(shortened('Harbours', 7)).toBe('Harbou…');
    expect(shortened('🏖🏖🏖', 3)).toBe('🏖🏖🏖');
    expect(shortened('🏖🏖🏖🏖', 3)).toBe('🏖🏖…');
  });

  it('is safe to print, also where a control sequence is cut', () => {
    expect(shortened('a\u001b[31mb\nc', 9)).toBe('ab c');
    expect(shortened(`${'\u001b[31m'.repeat(99)}a`, 4)).not.toMatch(/\p{Cc}/u);
  });
});

describe('a table that has to fit', () => {
  const columns = [{ heading: 'TIME' }, { heading: 'OLD', isCut: true }, { heading: 'NEW', isCut: true }];

  it('is as wide as its cells where there is room', () => {
    expect(fittedTable(columns, [['noon', 'short', 'a longer text']], 60)).toBe('TIME  OLD    NEW\nnoon  short  a longer text');
  });

  it('cuts the longest cells first, and only those that may be cut', () => {
    const rows = [['2026-11-25T10:37:52.433Z', 'short', 'x'.repeat(1_000)]];
    const [, line = ''] = fittedTable(columns, rows, 60).split('\n');
    expect(line).toBe(`2026-11-25T10:37:52.433Z  short  ${'x'.repeat(26)}…`);
    expect(line).toHaveLength(60);
  });

  it('keeps at least 8 characters of each cell, even if it does not fit then', () => {
    expect(fittedTable(columns, [['t'.repeat(60), 'o'.repeat(20), 'n'.repeat(20)]], 60).split('\n')[1]).toBe(
      `${'t'.repeat(60)}  ${'o'.repeat(7)}…  ${'n'.repeat(7)}…`,
    );
  });
});

it('The width of output is that of the terminal, within limits', () => {
  const before = process.stdout.columns;
  try {
    const widths = [100, 20, undefined].map((columns) => {
      Object.assign(process.stdout, { columns });
      return terminalColumns();
    });
    expect(widths).toEqual([100, 60, columnsElsewhere]);
  } finally {
    Object.assign(process.stdout, { columns: before });
  }
});
