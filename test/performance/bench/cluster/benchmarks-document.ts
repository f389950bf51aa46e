import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const file = join(import.meta.dirname, '../../../../docs/benchmarks.md');
const begin = '<!-- measured cluster: begin -->';
const end = '<!-- measured cluster: end -->';

/** Writes a text between the markers of docs/benchmarks.md.
 * @throws if the markers are missing */
export const writeIntoBenchmarks = (text: string): void => {
  const document = readFileSync(file, 'utf8');
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} has no ${begin} … ${end}`);
  writeFileSync(file, `${document.slice(0, from + begin.length)}\n${text.trim()}\n${document.slice(to)}`);
};
