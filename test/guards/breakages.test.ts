import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { breakages } from '../cluster/broken/breakages.ts';

const root = join(import.meta.dirname, '../..');

it.each(Object.entries(breakages))('The code that "%s" breaks exists', (_, { file, good }) => {
  expect(readFileSync(join(root, file), 'utf8').includes(good)).toBe(true);
});
