import { idsOf, type Page, type Session } from '../../api/session.ts';

const pagesMax = 2_000;

export type Way = 'next' | 'previous';

export const withLimit = (path: string, limit: number): string => `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`;

/** Returns every page from one on, in one direction. */
export const walk = async (me: Session, from: Page, way: Way): Promise<Page[]> => {
  const pages = [from];
  for (let url = from[way]; url !== null; url = pages.at(-1)?.[way] ?? null) {
    if (pages.length > pagesMax) throw new Error(`the walk from ${from[way]} has no end`);
    pages.push(await me.page(url));
  }
  return pages;
};

export const ascending = (one: number, other: number): number => one - other;

/** Returns the ids of a walk, and checks their order: each page ascends, and each lies beyond the one before. */
export const inOrder = (pages: readonly Page[], way: Way): number[] => {
  const ids = (way === 'next' ? pages : pages.toReversed()).flatMap(idsOf);
  expect(ids).toEqual([...new Set(ids)].sort(ascending));
  return ids;
};
