import { stripVTControlCharacters } from 'node:util';

/** What a command has to say: in words for people, as a value for scripts. */
export type Result = { readonly json: unknown; readonly text: string };

/** Options that every command has. */
export type OutputOptions = { readonly json?: boolean | undefined };

/** Prints a result: with `--json` exactly one JSON value. */
export const show = ({ json, text }: Result, options: OutputOptions): void => {
  process.stdout.write(options.json ? `${JSON.stringify(json)}\n` : `${text}\n`);
};

/** A name from outside, as it may be shown on a terminal: in one line, without anything that steers the terminal. */
export const plain = (text: string): string => stripVTControlCharacters(text).replaceAll(/\p{Cc}+/gu, ' ');

const width = (text: string): number => [...text].length;

const gap = '  ';

/** Columns under their headings; the last one is as wide as it needs. */
export const table = (headings: readonly string[], rows: readonly (readonly string[])[]): string => {
  const lines = [headings, ...rows].map((line) => line.map(plain));
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => width(line[column] ?? ''))));
  const padded = (cell: string, column: number): string => cell + ' '.repeat((widths[column] ?? 0) - width(cell));
  return lines.map((line) => line.map(padded).join(gap).trimEnd()).join('\n');
};

/** Names and values, one pair a line. */
export const fields = (pairs: readonly (readonly [string, string | number])[]): string => {
  const widest = Math.max(...pairs.map(([name]) => width(name)));
  return pairs.map(([name, value]) => `${name.padEnd(widest)}${gap}${plain(String(value))}`).join('\n');
};

const unspaced = /(?<=[a-z])(?=[A-Z])|_/g;
const words = (name: string): string => name.replaceAll(unspaced, ' ').toLowerCase();

/** Names and values of whatever an answer holds, nested ones by their path. */
export const flattened = (value: unknown, path = ''): readonly (readonly [string, string])[] => {
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return [[path, value.join(', ') || 'none']];
  if (typeof value !== 'object' || value === null) return [[path, String(value ?? 'none')]];
  return Object.entries(value).flatMap(([name, inner]) => flattened(inner, `${path} ${words(name)}`.trim()));
};

/** Whatever an answer holds: names and values, and lists of like things as tables under them. */
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

/** A number as people read it. */
export const grouped = (value: number): string => Math.round(value).toLocaleString('en');
