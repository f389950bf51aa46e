import type { PageQuery } from '@waymark/domain/pages.ts';
import { createPageSize } from '@waymark/read-models/page-size.ts';
import type { HistoryReads } from '../history.ts';
import { accountSet, happeningsAt, membersOf } from '../sets.ts';
import { seenObjects, type View, wasPresent } from './presence.ts';
import type { Moment, Reply } from './questions.ts';
import { representation } from './version.ts';

/** Index entries that a page reads at most. Then it ends early, possibly empty. */
const readsMax = 50_000;
/** Index entries that are read for an object, at least: its state, entry, mark and values. */
const readsOfObject = 4;
/** Objects that are read at once. */
const objectsTogether = 23;

type Item = { readonly id: number; readonly text: string };

/** Items in the direction of a walk. `next`: the id beyond which the walk continues; null at its end. */
type Walked = { readonly items: readonly Item[]; readonly next: number | null };

/** Returns a page as it was at a moment. Objects whose content of that time was erased are left out. */
export const asOfPage = async (reads: HistoryReads, query: PageQuery, moment: Moment, base: string): Promise<Reply> => {
  const view = { account: query.account, at: moment.position };
  const set = await setOf(reads, query, view);
  const [ahead, behind] = await Promise.all([
    set === undefined ? nothing : walk(reads, { set, view, query, base }, query.limit),
    set === undefined || isStart(query) ? nothing : walk(reads, { set, view, query: turned(query), base }, 0),
  ]);
  const { items, next } = ahead;
  // The first page behind begins beyond this page's first item, or where an empty page is.
  const back = behind.next === null ? null : (items[0]?.id ?? turned(query).from);
  const [following, preceding] = query.direction === 'forward' ? [next, back] : [back, next];
  const texts = (query.direction === 'forward' ? items : items.toReversed()).map(({ text }) => text);
  return { outcome: 'as-of-page', items: texts, next: following, previous: preceding, moment };
};

const nothing: Walked = { items: [], next: null };

/** Returns whether no item can come before the start: ids are positive. */
const isStart = ({ direction, from }: PageQuery): boolean => direction === 'forward' && from <= 0;

/** Returns the query for what lies behind the start of a page, the start included. */
const turned = (query: PageQuery): PageQuery =>
  query.direction === 'forward'
    ? { ...query, direction: 'backward', from: query.from + 1 }
    : { ...query, direction: 'forward', from: query.from - 1 };

/** Returns the set that a page walks over; undefined if it is empty because its list or pinpoint was not there, or was erased since. */
const setOf = async (reads: HistoryReads, { kind, within }: PageQuery, view: View): Promise<string | undefined> => {
  if (within === null) return accountSet(view.account, kind);
  if (kind === 'happening') return (await wasPresent(reads, view, 'pinpoint', within)) ? happeningsAt(within) : undefined;
  if (kind !== 'pinpoint' || !(await wasPresent(reads, view, 'list', within))) return undefined;
  const mark = await reads.erased(membersOf(within));
  return mark !== undefined && view.at < mark.position ? undefined : membersOf(within);
};

type Range = { readonly set: string; readonly view: View; readonly query: PageQuery; readonly base: string };

/** Walks over the items that clients saw, until the page is full.
 * @param limit 0 only finds out whether there is an item */
const walk = async (reads: HistoryReads, { set, view, query, base }: Range, limit: number): Promise<Walked> => {
  const { kind, direction } = query;
  const size = createPageSize();
  const items: Item[] = [];
  let left = readsMax;
  for (let beyond: number | null = query.from; beyond !== null; ) {
    const walked = await reads.itemsAt(set, { at: view.at, beyond, direction, items: Math.min(limit + 1, objectsTogether), reads: left });
    const ids = walked.items.map(({ item }) => item);
    for (const { id, seen } of await seenObjects(reads, view, kind, ids)) {
      if (seen === undefined || seen === 'erased') continue;
      const text = representation(seen, base);
      if (items.length === limit || !size.fits(text)) return { items, next: items.at(-1)?.id ?? query.from };
      items.push({ id, text });
    }
    left -= walked.reads + readsOfObject * walked.items.length;
    beyond = walked.next;
    if (left <= 0) return { items, next: beyond };
  }
  return { items, next: null };
};
