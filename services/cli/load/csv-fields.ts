/** What a cell becomes; undefined: an empty one, as if the column were not there. */
type Cell = (text: string) => unknown;

const text: Cell = (cell) => (cell === '' ? undefined : cell);

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** What is no number stays a text: the API says so. */
const number: Cell = (cell) => {
  const trimmed = cell.trim();
  if (trimmed === '') return undefined;
  return decimal.test(trimmed) ? Number(trimmed) : trimmed;
};

const tags: Cell = (cell) => {
  const found = cell
    .split(';')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  return found.length === 0 ? undefined : found;
};

const cells: Readonly<Record<string, Cell>> = {
  name: text,
  address: text,
  latitude: number,
  longitude: number,
  altitude: number,
  category: number,
  description: text,
  media_credits: text,
  tags,
};

/** The fields of a pinpoint that a column can hold. */
export const fieldNames: readonly string[] = Object.keys(cells);
export const requiredNames: readonly string[] = ['name', 'latitude', 'longitude'];

/** A pinpoint as the API takes it. */
export const pinpointOf = (names: readonly string[], row: readonly string[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(names.map((name, column) => [name, cells[name]?.(row[column] ?? '')]));
