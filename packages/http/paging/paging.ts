import type { Page, PageQuery } from '@waymark/domain/pages.ts';
import type { ResourceKind } from '@waymark/domain/streams.ts';
import { invalidFields, invalidPage } from '../errors.ts';
import { pageItemsDefault, pageItemsMax } from '../limits.ts';
import type { Cursors } from './cursors.ts';

/** A collection that is paged: its kind, and the query parameter that narrows it, if any. */
export type Collection = { readonly kind: ResourceKind; readonly path: string; readonly filter: 'list' | 'pinpoint' | null };

/** The page that a URL asks for.
 * @throws HttpError 400, 404 */
export const pageQuery = (collection: Collection, account: string, url: string, cursors: Cursors): PageQuery => {
  const start = url.indexOf('?');
  if (start < 0) return firstPage(collection.kind, account, null, pageItemsDefault);
  const parameters = new URLSearchParams(url.slice(start));
  const cursor = parameters.get('cursor');
  if (cursor !== null) return continued(collection, account, parameters, cursors.open(cursor));
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

/** A cursor keeps its filter: with another one beside it, it is none of ours. */
const continued = ({ kind, filter }: Collection, account: string, parameters: URLSearchParams, query: PageQuery | undefined): PageQuery => {
  if (query === undefined || query.kind !== kind || query.account !== account) throw invalidPage();
  const beside = filter === null ? null : parameters.get(filter);
  if (beside !== null && beside !== String(query.within)) throw invalidPage();
  return query;
};

const filterOf = (name: 'list' | 'pinpoint', parameters: URLSearchParams): number | null => {
  const text = parameters.getAll(name).at(-1);
  if (text === undefined) return null;
  if (!/^\s*[-+]?\d+\s*$/.test(text)) throw invalidFields({ [name]: ['Enter a whole number.'] });
  return Number.isSafeInteger(Number(text)) ? Number(text) : noId;
};

/** No object has it. */
const noId = 0;

/** Clamped; nonsense falls back to the default. */
const limitOf = (text: string | null): number => {
  if (text === null || !/^[-+]?\d+$/.test(text)) return pageItemsDefault;
  return Math.min(Math.max(Number(text), 1), pageItemsMax);
};

/** The answer's text: what the items are, and where its neighbours are found. An empty page lies between `from` and its neighbour:
 * the way back leads over `from` itself. */
export const pageText = (collection: Collection, query: PageQuery, page: Page, base: string, cursors: Cursors): string => {
  const link = (direction: PageQuery['direction'], from: number | undefined): string =>
    from === undefined ? 'null' : `"${base}/v3.0${collection.path}?cursor=${cursors.seal({ ...query, direction, from })}"`;
  const next = link('forward', page.after ? (page.items.at(-1)?.id ?? query.from - 1) : undefined);
  const previous = link('backward', page.before ? (page.items[0]?.id ?? query.from + 1) : undefined);
  return `{"results":[${page.items.map((item) => item.text).join(',')}],"next":${next},"previous":${previous}}`;
};
