import type { Page, PageQuery } from '@waymark/domain/pages.ts';
import { largePageCharacters } from './page-size.ts';

/** Reads pages at once, but after a large one the next only in the next turn of the event loop: however many large pages are asked for, what else
 * the process has to do is done between them. Those that wait are no more than the process has connections. */
export const oneLargePagePerTurn = (read: (query: PageQuery) => Page): ((query: PageQuery) => Promise<Page>) => {
  const waiting: (() => void)[] = [];
  let wasLarge = false;

  const readNow = (query: PageQuery): Page => {
    const page = read(query);
    let characters = 0;
    for (const { text } of page.items) characters += text.length;
    if (characters >= largePageCharacters) {
      wasLarge = true;
      setImmediate(nextTurn);
    }
    return page;
  };

  const nextTurn = (): void => {
    wasLarge = false;
    while (!wasLarge && waiting.length > 0) waiting.shift()?.();
  };

  /** What it throws rejects. */
  const answer = async (query: PageQuery): Promise<Page> => readNow(query);

  return async (query) => {
    if (!wasLarge) return readNow(query);
    return new Promise((resolve) => waiting.push(() => resolve(answer(query))));
  };
};
