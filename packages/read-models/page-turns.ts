import type { Page, PageQuery } from '@waymark/domain/pages.ts';
import { largePageCharacters } from './page-size.ts';

/** Reads pages at once, but waits for the next turn of the event loop after a large one. However many large pages are requested, the other
 * work of the process runs between them. The number of waiting requests is limited by the number of connections. */
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

  /** Turns an error of `readNow` into a rejection. */
  const answer = async (query: PageQuery): Promise<Page> => readNow(query);

  return async (query) => {
    if (!wasLarge) return readNow(query);
    return new Promise((resolve) => waiting.push(() => resolve(answer(query))));
  };
};
