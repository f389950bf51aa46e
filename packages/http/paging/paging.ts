import type { Page, PageQuery } from '@waymark/domain/pages.ts';
import type { ResourceKind } from '@waymark/domain/streams.ts';
import { invalidFields, invalidPage } from '../errors.ts';
import { pageItemsDefault, pageItemsMax } from '../limits.ts';
import type { Cursors } from './cursors.ts';

/** A collection with pages: its kind, its path, and the query parameter that filters it, if any. */
export type Collection = { readonly kind: ResourceKind; readonly path: string; readonly filter: 'list' | 'pinpoint' | null };

/** The collections of `/v3.0`. */
export const collections: Readonly<Record<ResourceKind, Collection>> = {
  pinpoint: { kind: 'pinpoint', path: '/pinpoints', filter: 'list' },
  list: { kind: 'list', path: '/lists', filter: null },
  category: { kind: 'category', path: '/categories', filter: null },
  happening: { kind: 'happening', path: '/events', filter: 'pinpoint' },
};

/** Returns the page query that a URL asks for.
 * @throws HttpError 400, 404 */
export const pageQuery = (collection: Collection, account: string, url: string, cursors: Pick<Cursors, 'open'>): PageQuery => {
  const start = url.indexOf('?');
  if (start < 0) return firstPage(collection.kind, account, null, pageItemsDefault);
  const parameters = new URLSearchParams(url.slice(start));
  const cursor = parameters.get('cursor');
  if (cursor !== null) return queryFromCursor(collection, account, parameters, cursors.open(cursor));
  const within = collection.filter === null ? null : filterOf(collection.filter, parameters);
  return firstPage(collection.kind, account, within, limitOf(parameters.get('limit')));
};

const firstPage = (kind: ResourceKind, account: string, within: number | null, limit: number): PageQuery => ({
  kind,
  account,
  within,
  direction: 'forward',
  from: 0,
  limit,
});

/** Returns the page query of a cursor. A cursor keeps its filter: it is invalid if the URL has another filter. */
const queryFromCursor = (
  { kind, filter }: Collection,
  account: string,
  parameters: URLSearchParams,
  query: PageQuery | undefined,
): PageQuery => {
  if (query === undefined || query.kind !== kind || query.account !== account) throw invalidPage();
  const beside = filter === null ? null : parameters.get(filter);
  if (beside !== null && beside !== String(query.within)) throw invalidPage();
  return query;
};

/** Returns the id in a filter of a URL; null if the URL has no such filter.
 * @throws HttpError 400 */
export const filterOf = (name: 'list' | 'pinpoint', parameters: URLSearchParams): number | null => {
  const text = parameters.getAll(name).at(-1);
  if (text === undefined) return null;
  if (!/^\s*[-+]?\d+\s*$/.test(text)) throw invalidFields({ [name]: ['Enter a whole number.'] });
  return Number.isSafeInteger(Number(text)) ? Number(text) : noId;
};

/** An id that no object has. */
const noId = 0;

/** Returns the page size, clamped to its bounds. An invalid text gives the default. */
export const limitOf = (text: string | null): number => {
  if (text === null || !/^[-+]?\d+$/.test(text)) return pageItemsDefault;
  return Math.min(Math.max(Number(text), 1), pageItemsMax);
};

/** Returns the text of the response: the items and the links to the neighbouring pages. An empty page lies between `from` and its
 * neighbour, so the link back includes `from` itself. */
export const pageText = (collection: Collection, query: PageQuery, page: Page, base: string, cursors: Cursors): string => {
  const link = (direction: PageQuery['direction'], from: number | undefined): string =>
    from === undefined ? 'null' : `"${base}/v3.0${collection.path}?cursor=${cursors.seal({ ...query, direction, from })}"`;
  const next = link('forward', page.after ? (page.items.at(-1)?.id ?? query.from - 1) : undefined);
  const previous = link('backward', page.before ? (page.items[0]?.id ?? query.from + 1) : undefined);
  return `{"results":[${page.items.map((item) => item.text).join(',')}],"next":${next},"previous":${previous}}`;
};
