import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const file = join(import.meta.dirname, 'golden.json');

type Golden = Readonly<Record<string, unknown>>;

const golden = (): Golden => JSON.parse(readFileSync(file, 'utf8'));

const textOf = (value: unknown): string => JSON.stringify(value, null, 2);

/** Expects a part of the golden file to be unchanged, including the order of names. With `WAYMARK_WRITE=1`, writes the part as it is now. */
export const expectAsBefore = (part: string, observed: unknown): void => {
  if (process.env['WAYMARK_WRITE'] === '1') writeFileSync(file, `${textOf(sorted({ ...golden(), [part]: observed }))}\n`);
  expect(textOf(observed)).toBe(textOf(golden()[part]));
};

const sorted = (parts: Golden): Golden => Object.fromEntries(Object.entries(parts).toSorted(([a], [b]) => (a < b ? -1 : 1)));
