/** Converts a cell to a value. Returns undefined for an empty cell, as if the column were missing. */
type Cell = (text: string) => unknown;

const text: Cell = (cell) => (cell === '' ? undefined : cell);

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Text that is not a number, or is too large for one, stays text, and the API reports it. */
const number: Cell = (cell) => {
  const trimmed = cell.trim();
  if (trimmed === '') return undefined;
  const value = decimal.test(trimmed) ? Number(trimmed) : Number.NaN;
  return Number.isFinite(value) ? value : trimmed;
};

const tags: Cell = (cell) => {
  const found = cell
    .split(';')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  return found.length === 0 ? undefined : found;
};

const cells: ReadonlyMap<string, Cell> = new Map([
  ['name', text],
  ['address', text],
  ['latitude', number],
  ['longitude', number],
  ['altitude', number],
  ['category', number],
  ['description', text],
  ['media_credits', text],
  ['tags', tags],
]);

/** The fields of a pinpoint that a column can hold. */
export const fieldNames: readonly string[] = [...cells.keys()];
export const requiredNames: readonly string[] = ['name', 'latitude', 'longitude'];

/** Returns a pinpoint as the API accepts it. */
export const pinpointOf = (names: readonly string[], row: readonly string[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(names.map((name, column) => [name, cells.get(name)?.(row[column] ?? '')]));
