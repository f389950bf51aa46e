import type { RefusalPlace } from '@waymark/access/refusals/reading.ts';
import type { PageQuery } from '@waymark/domain/pages.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import type { ChangePlace, ChangesQuestion, Moment, Subject } from '@waymark/history/reading/questions.ts';
import { invalidFields, invalidPage } from '@waymark/http/errors.ts';
import { limitOf } from '@waymark/http/paging/paging.ts';
import type { Seals } from '@waymark/http/paging/seals.ts';

/** A page of an object's history: the entries before a position, newest first. */
export type HistoryPlace = { readonly before: Position; readonly limit: number };

/** Two revisions that are compared; of a list, only members with an id beyond one. */
export type Comparison = { readonly from: number; readonly to: number; readonly beyond: number; readonly limit: number };

/** The text of a cursor: what it continues, of which object, and where. */
type Packed = readonly [type: 'history' | 'diff' | 'activity' | 'refusals' | 'export', account: string, stream: string, ...place: number[]];

type Owner = Pick<Subject, 'account' | 'stream'>;

const seal = (seals: Seals, type: Packed[0], { account, stream }: Owner, ...place: number[]): string =>
  seals.seal(JSON.stringify([type, account, stream, ...place] satisfies Packed));

/** Returns the place of the cursor in a URL; undefined if the URL has none.
 * @throws HttpError 404 for a cursor of another account, object or page */
const open = (seals: Seals, type: Packed[0], { account, stream }: Owner, query: URLSearchParams): readonly number[] | undefined => {
  const cursor = query.get('cursor');
  if (cursor === null) return undefined;
  const text = seals.open(cursor);
  const packed: Packed | undefined = text === undefined ? undefined : JSON.parse(text);
  if (packed?.[0] !== type || packed[1] !== account || packed[2] !== stream) throw invalidPage();
  return packed.slice(3) as number[];
};

export const queryOf = (url: string): URLSearchParams => new URLSearchParams(url.slice(url.indexOf('?') + 1 || url.length));

/** Returns the page that a URL asks for.
 * @throws HttpError 404 */
export const historyPlaceOf = (url: string, subject: Subject, seals: Seals): HistoryPlace => {
  const query = queryOf(url);
  const [before = Number.MAX_SAFE_INTEGER, limit = limitOf(query.get('limit'))] = open(seals, 'history', subject, query) ?? [];
  return { before, limit };
};

export const historyCursor = (subject: Subject, { before, limit }: HistoryPlace, seals: Seals): string =>
  seal(seals, 'history', subject, before, limit);

/** Returns the comparison that a URL asks for.
 * @throws HttpError 400, 404 */
export const comparisonOf = (url: string, subject: Subject, seals: Seals): Comparison => {
  const query = queryOf(url);
  const [first, second, beyond = 0, limit = limitOf(query.get('limit'))] = open(seals, 'diff', subject, query) ?? [];
  const [from, to] = [first ?? revisionIn(query.get('from')), second ?? revisionIn(query.get('to'))];
  if (from !== undefined && to !== undefined) return { from, to, beyond, limit };
  const message = ['Enter a revision: a whole number from 0.'];
  throw invalidFields({ ...(from === undefined ? { from: message } : {}), ...(to === undefined ? { to: message } : {}) });
};

export const comparisonCursor = (subject: Subject, { from, to, beyond, limit }: Comparison, seals: Seals): string =>
  seal(seals, 'diff', subject, from, to, beyond, limit);

/** Returns the place of the cursor of an activity page: the filters are not in it, but in the URL beside it.
 * @throws HttpError 404 */
export const activityPlaceOf = (query: URLSearchParams, account: string, seals: Seals): HistoryPlace => {
  const [before = Number.MAX_SAFE_INTEGER, limit = limitOf(query.get('limit'))] =
    open(seals, 'activity', { account, stream: '' }, query) ?? [];
  return { before, limit };
};

export const activityCursor = (account: string, { before, limit }: HistoryPlace, seals: Seals): string =>
  seal(seals, 'activity', { account, stream: '' }, before, limit);

/** A page of the refusals of a day: those after a place. */
export type RefusalsPlace = { readonly day: string; readonly from: RefusalPlace; readonly limit: number };

/** Returns the place in the refusals of a day. The day is not in the cursor alone, but in the URL beside it.
 * @throws HttpError 404 for a cursor of another account or day */
export const refusalsPlaceOf = (query: URLSearchParams, account: string, day: string, seals: Seals): RefusalsPlace => {
  const [revision = 0, offset = 0, limit = limitOf(query.get('limit'))] = open(seals, 'refusals', { account, stream: day }, query) ?? [];
  return { day, from: { revision, offset }, limit };
};

export const refusalsCursor = (account: string, { day, from, limit }: RefusalsPlace, seals: Seals): string =>
  seal(seals, 'refusals', { account, stream: day }, from.revision, from.offset, limit);

/** A page of an export: the number of its checkpoint, and the index or the revision from which it continues. */
export type ExportCursor = { readonly number: number; readonly from: number };

/** Returns the place of the cursor in a query; undefined if the query has none.
 * @param object the stream of the object; null for all of the account
 * @throws HttpError 404 for a cursor of another account or object */
export const exportPlaceOf = (query: URLSearchParams, account: string, object: string | null, seals: Seals): ExportCursor | undefined => {
  const [number, from] = open(seals, 'export', { account, stream: object ?? '' }, query) ?? [];
  return number === undefined || from === undefined ? undefined : { number, from };
};

export const exportCursor = (account: string, object: string | null, { number, from }: ExportCursor, seals: Seals): string =>
  seal(seals, 'export', { account, stream: object ?? '' }, number, from);

/** A page as of a moment. */
export type PlaceAsOf = { readonly query: PageQuery; readonly moment: Moment };

type PackedPlace = readonly ['as-of', text: string, moment: Moment, query: PageQuery];

/** @param text the moment in the path, which the cursor is only valid for */
export const sealPlaceAsOf = ({ query, moment }: PlaceAsOf, text: string, seals: Seals): string =>
  seals.seal(JSON.stringify(['as-of', text, moment, query] satisfies PackedPlace));

/** Returns the place of a cursor; undefined if it is not valid for the moment in the path. */
export const openPlaceAsOf = (cursor: string, text: string, seals: Seals): PlaceAsOf | undefined => {
  const sealed = seals.open(cursor);
  const packed: PackedPlace | undefined = sealed === undefined ? undefined : JSON.parse(sealed);
  return packed?.[0] === 'as-of' && packed[1] === text ? { moment: packed[2], query: packed[3] } : undefined;
};

/** A page of changes: what is compared, and where the page begins. */
export type ChangesPlace = Pick<ChangesQuestion, 'from' | 'to' | 'list' | 'after' | 'limit'>;

type SealedChanges = ChangesPlace & { readonly from: Moment; readonly to: Moment; readonly after: ChangePlace };
type PackedChanges = readonly ['changes', account: string, place: SealedChanges];

/** Returns the cursor of a page of changes. It keeps both moments as positions. */
export const changesCursor = (account: string, { from, to, list, after, limit }: SealedChanges, seals: Seals): string =>
  seals.seal(JSON.stringify(['changes', account, { from, to, list, after, limit }] satisfies PackedChanges));

/** Returns the place of the cursor in a URL; undefined if the URL has none.
 * @throws HttpError 404 for a cursor of another account or page */
export const changesPlaceOf = (query: URLSearchParams, account: string, seals: Seals): ChangesPlace | undefined => {
  const cursor = query.get('cursor');
  if (cursor === null) return undefined;
  const text = seals.open(cursor);
  const packed: PackedChanges | undefined = text === undefined ? undefined : JSON.parse(text);
  if (packed?.[0] !== 'changes' || packed[1] !== account) throw invalidPage();
  return packed[2];
};

/** Returns the revision in a text; undefined if it is none. */
export const revisionIn = (text: string | null | undefined): number | undefined =>
  text !== null && text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
