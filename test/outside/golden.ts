import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const file = join(import.meta.dirname, 'golden.json');

type Golden = Readonly<Record<string, unknown>>;

const golden = (): Golden => JSON.parse(readFileSync(file, 'utf8'));

const textOf = (value: unknown): string => JSON.stringify(value, null, 2);

/** A part of the one golden file has to be as it was, the order of names included. With `WAYMARK_WRITE=1` it is written as it is now. */
export const expectAsBefore = (part: string, observed: unknown): void => {
  if (process.env['WAYMARK_WRITE'] === '1') writeFileSync(file, `${textOf(sorted({ ...golden(), [part]: observed }))}\n`);
  expect(textOf(observed)).toBe(textOf(golden()[part]));
};

const sorted = (parts: Golden): Golden => Object.fromEntries(Object.entries(parts).toSorted(([a], [b]) => (a < b ? -1 : 1)));
