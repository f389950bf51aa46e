import { columnsElsewhere, columnsMin } from '../limits.ts';
import { gap, plain, table, width } from './output.ts';

/** Returns the width of the terminal in characters, or that of other output. */
export const terminalColumns = (): number => Math.max(process.stdout.columns ?? columnsElsewhere, columnsMin);

/** Returns a text in a safe form, cut to a number of characters. */
export const shortened = (text: string, max: number): string => {
  // No character takes more than two code units. What controls the terminal may take more, and is removed.
  const characters = [...plain(text.slice(0, 4 * max))];
  const isWhole = text.length <= 4 * max && characters.length <= max;
  return isWhole ? characters.join('') : `${characters.slice(0, max - 1).join('')}…`;
};

export type Column = { readonly heading: string /** Whether its cells may be cut. */; readonly isCut?: boolean };

/** Formats a table like `table`, and cuts cells so that its lines are not longer than a number of characters, if possible. */
export const fittedTable = (columns: readonly Column[], rows: readonly (readonly string[])[], columnsOfTerminal: number): string => {
  const wide = rows.map((row) => row.map((cell) => shortened(cell, columnsOfTerminal)));
  const widths = columns.map(({ heading }, nth) => Math.max(width(heading), ...wide.map((row) => width(row[nth] ?? ''))));
  const max = cellMax(columns, widths, columnsOfTerminal - gap.length * (columns.length - 1));
  return table(
    columns.map(({ heading }) => heading),
    wide.map((row) => row.map((cell, nth) => (columns[nth]?.isCut ? shortened(cell, Math.max(max, width(columns[nth].heading))) : cell))),
  );
};

/** Cells are never cut below this. */
const cellMin = 8;

/** Returns the length to which cells are cut: the greatest one with which the columns fit. */
const cellMax = (columns: readonly Column[], widths: readonly number[], room: number): number => {
  const total = (max: number): number =>
    widths.reduce((sum, own, nth) => sum + (columns[nth]?.isCut ? Math.min(own, Math.max(max, width(columns[nth].heading))) : own), 0);
  let max = Math.max(...widths, cellMin);
  while (max > cellMin && total(max) > room) max -= 1;
  return max;
};
