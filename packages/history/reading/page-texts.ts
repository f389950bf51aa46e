import { createPageSize } from '@waymark/read-models/page-size.ts';

/** Returns the texts of as many items as fit into a page. It begins several reads at once, because those may share queries. */
export const pageTexts = async <Item>(
  items: readonly Item[],
  textOf: (item: Item) => Promise<string>,
  size = createPageSize(),
): Promise<readonly string[]> => {
  const texts: string[] = [];
  while (texts.length < items.length) {
    const from = texts.length;
    for (const text of await Promise.all(items.slice(from, from + size.together()).map(textOf))) {
      if (!size.fits(text)) return texts;
      texts.push(text);
    }
  }
  return texts;
};
