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

/** Items in the direction of a walk. `follows`: the item that the page starts after was seen. `next`: the id beyond which the walk continues; null
 * at its end. */
type Walked = { readonly items: readonly Item[]; readonly follows: boolean; readonly next: number | null };

/** Returns a page as it was at a moment. Objects whose content of that time was erased are left out. */
export const asOfPage = async (reads: HistoryReads, query: PageQuery, moment: Moment, base: string): Promise<Reply> => {
  const view = { account: query.account, at: moment.position };
  const set = await setOf(reads, query, view);
  const range = set === undefined ? undefined : { set, view, query, base };
  const ahead = range === undefined ? nothing : await walk(reads, range, query.limit);
  const isBehind = ahead.follows || (range !== undefined && !isStart(query) && (await isAnyBehind(reads, range)));
  const { items, next } = ahead;
  // The first page behind begins beyond this page's first item, or where an empty page is.
  const back = isBehind ? (items[0]?.id ?? startOf(turned(query))) : null;
  const [following, preceding] = query.direction === 'forward' ? [next, back] : [back, next];
  const texts = (query.direction === 'forward' ? items : items.toReversed()).map(({ text }) => text);
  return { outcome: 'as-of-page', items: texts, next: following, previous: preceding, moment };
};

const nothing: Walked = { items: [], follows: false, next: null };

/** Returns whether no item can come before the start: ids are positive. */
const isStart = ({ direction, from }: PageQuery): boolean => direction === 'forward' && from <= 0;

/** Returns the query for what lies behind the start of a page. */
const turned = (query: PageQuery): PageQuery => ({ ...query, direction: query.direction === 'forward' ? 'backward' : 'forward' });

/** Returns the id beyond which a walk begins, so that the item that the page starts after is part of it. */
const startOf = ({ direction, from }: PageQuery): number => (direction === 'forward' ? from - 1 : from + 1);

/** Returns the set that a page walks over; undefined if it is empty because its list or pinpoint was not there, or was erased since. */
const setOf = async (reads: HistoryReads, { kind, within }: PageQuery, view: View): Promise<string | undefined> => {
  if (within === null) return accountSet(view.account, kind);
  if (kind === 'happening') return (await wasPresent(reads, view, 'pinpoint', within)) ? happeningsAt(within) : undefined;
  if (kind !== 'pinpoint' || !(await wasPresent(reads, view, 'list', within))) return undefined;
  const mark = await reads.erased(membersOf(within));
  return mark !== undefined && view.at < mark.position ? undefined : membersOf(within);
};

type Range = { readonly set: string; readonly view: View; readonly query: PageQuery; readonly base: string };

/** Returns whether clients saw an item behind the start of a page. The item that it starts after is one, unless it was erased since. */
const isAnyBehind = async (reads: HistoryReads, range: Range): Promise<boolean> => {
  const { follows, next } = await walk(reads, { ...range, query: turned(range.query) }, 0);
  return follows || next !== null;
};

/** Walks over the items that clients saw, until the page is full. */
const walk = async (reads: HistoryReads, { set, view, query, base }: Range, limit: number): Promise<Walked> => {
  const { kind, direction, from } = query;
  const size = createPageSize();
  const items: Item[] = [];
  let [follows, left] = [false, readsMax];
  for (let beyond: number | null = startOf(query); beyond !== null; ) {
    const walked = await reads.itemsAt(set, { at: view.at, beyond, direction, items: Math.min(limit + 2, objectsTogether), reads: left });
    const ids = walked.items.map(({ item }) => item);
    for (const { id, seen } of await seenObjects(reads, view, kind, ids)) {
      if (seen === undefined || seen === 'erased') continue;
      if (id === from) {
        follows = true;
        continue;
      }
      const text = representation(seen, base);
      if (items.length === limit || !size.fits(text)) return { items, follows, next: items.at(-1)?.id ?? from };
      items.push({ id, text });
    }
    left -= walked.reads + readsOfObject * walked.items.length;
    beyond = walked.next;
    if (left <= 0) return { items, follows, next: beyond };
  }
  return { items, follows, next: null };
};
