import { once } from 'node:events';
import type { HistoryPage } from '@waymark/operations/api/answers.ts';
import { terminalColumns } from '../terminal/fitting.ts';
import { jsonText, type OutputOptions } from '../terminal/output.ts';
import { entriesText } from './entries.ts';

/** Prints the pages of a history one by one, so that a history of any length needs the memory of one page. With `--json` it prints one value:
 * what one page with all entries would be.
 * @param more the text that says that there are more entries */
export const printHistory = async (pages: AsyncIterable<HistoryPage>, { json }: OutputOptions, more: string): Promise<void> => {
  const format = json ? jsonFormat : textFormat(more);
  await print(format.start);
  let printed = 0;
  let next: number | null = null;
  for await (const page of pages) {
    await print(format.part(page.results, printed));
    printed += page.results.length;
    next = page.next;
  }
  await print(format.end(next));
};

type Format = {
  readonly start: string;
  /** @param printed the number of entries printed before */
  readonly part: (entries: HistoryPage['results'], printed: number) => string;
  readonly end: (next: HistoryPage['next']) => string;
};

const jsonFormat: Format = {
  start: '{"results":[',
  part: (entries, printed) => entries.map((entry, nth) => `${printed + nth === 0 ? '' : ','}${jsonText(entry)}`).join(''),
  end: (next) => `],"next":${next}}\n`,
};

const textFormat = (more: string): Format => ({
  start: '',
  part: (entries, printed) => `${printed === 0 ? '' : '\n'}${entriesText(entries, terminalColumns())}\n`,
  end: (next) => (next === null ? '' : `\n${more}\n`),
});

const print = async (text: string): Promise<void> => {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
};
