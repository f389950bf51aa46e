import { stripVTControlCharacters } from 'node:util';

/** The result of a command: text for people, and a value for scripts. */
export type Result = { readonly json: unknown; readonly text: string };

/** Options that every command has. */
export type OutputOptions = { readonly json?: boolean | undefined };

/** Prints a result. With `--json` it prints exactly one JSON value. */
export const show = ({ json, text }: Result, options: OutputOptions): void => {
  process.stdout.write(options.json ? `${jsonText(json)}\n` : `${text}\n`);
};

/** Characters that control a terminal, end a line, or reverse the order of the text around them. */
const controls = /[\p{Cc}\p{Bidi_C}\u2028\u2029]/gu;

/** Returns JSON that is safe to print: it has control characters only in escaped form. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value).replace(controls, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

const runsOfControls = new RegExp(`${controls.source}+`, 'gu');

/** Returns a name from outside in a form that is safe to print: on one line, and without control sequences. */
export const plain = (text: string): string => stripVTControlCharacters(text).replaceAll(runsOfControls, ' ');

export const width = (text: string): number => [...text].length;

export const gap = '  ';

/** Formats columns under their headings. The last column is as wide as it needs. */
export const table = (headings: readonly string[], rows: readonly (readonly string[])[]): string => {
  const lines = [headings, ...rows].map((line) => line.map(plain));
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => width(line[column] ?? ''))));
  const padded = (cell: string, column: number): string => cell + ' '.repeat((widths[column] ?? 0) - width(cell));
  return lines.map((line) => line.map(padded).join(gap).trimEnd()).join('\n');
};

/** Formats names and values, one pair per line. */
export const fields = (pairs: readonly (readonly [string, string | number])[]): string => {
  const widest = Math.max(...pairs.map(([name]) => width(name)));
  return pairs.map(([name, value]) => `${name.padEnd(widest)}${gap}${plain(String(value))}`).join('\n');
};

const unspaced = /(?<=[a-z])(?=[A-Z])|_/g;
const words = (name: string): string => name.replaceAll(unspaced, ' ').toLowerCase();

/** Returns the names and values of any response. Nested values are named by their path. */
export const flattened = (value: unknown, path = ''): readonly (readonly [string, string])[] => {
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return [[path, value.join(', ') || 'none']];
  if (typeof value !== 'object' || value === null) return [[path, String(value ?? 'none')]];
  return Object.entries(value).flatMap(([name, inner]) => flattened(inner, `${path} ${words(name)}`.trim()));
};

/** Formats any response: names and values, and under them a table for each list of similar objects. */
export const described = (answer: object): string => {
  const parts = Object.entries(answer);
  const lists = parts.filter((part): part is [string, readonly object[]] => isList(part[1]));
  const single = Object.fromEntries(parts.filter(([, value]) => !isList(value)));
  return [fields(flattened(single)), ...lists.map(([name, rows]) => `${words(name)}\n${rowsOf(rows)}`)].join('\n\n');
};

const isList = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'object');

const rowsOf = (rows: readonly object[]): string => {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (row: object, name: string): string => String((row as Record<string, unknown>)[name] ?? '-');
  return table(
    names.map((name) => words(name).toUpperCase()),
    rows.map((row) => names.map((name) => cell(row, name))),
  );
};

/** Formats a number with separators between the thousands. */
export const grouped = (value: number): string => Math.round(value).toLocaleString('en');
