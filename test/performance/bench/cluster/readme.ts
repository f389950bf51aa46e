import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const file = join(import.meta.dirname, '../../../../README.md');
const begin = '<!-- measured cluster: begin -->';
const end = '<!-- measured cluster: end -->';

/** Puts a text between the README's markers. @throws where they are not there */
export const intoReadme = (text: string): void => {
  const readme = readFileSync(file, 'utf8');
  const [from, to] = [readme.indexOf(begin), readme.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} has no ${begin} … ${end}`);
  writeFileSync(file, `${readme.slice(0, from + begin.length)}\n${text.trim()}\n${readme.slice(to)}`);
};
