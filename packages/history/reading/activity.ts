import { createPageSize, type PageSize } from '@waymark/read-models/page-size.ts';
import type { HistoryEntry } from '../entries.ts';
import type { ActivityFilter, HistoryReads } from '../history.ts';
import { itemOf, objectOf } from './entry-item.ts';
import { pageTexts } from './page-texts.ts';
import { peopleOf, statesOfPeople } from './people.ts';
import type { ActivityQuestion, Item, LaterActivityQuestion, Reply } from './questions.ts';

/** Entries that are compared with a filter at most: then the page ends early, possibly empty. The caller asks on, for some time, until it has something. */
const readsMax = 50_000;

/** The same for the entries that follow a place: less, because the caller asks again at once. */
const laterReadsMax = 10_000;
/** The maximum total of UTF-8 bytes of those entries' texts. A single text may be longer. */
const laterBytesMax = 256 * 1024;

/** Returns a page of what happened in an account, newest first. */
export const activity = async (reads: HistoryReads, question: ActivityQuestion): Promise<Reply> => {
  const { account, base, before, sinceMs, untilMs, filter, limit } = question;
  const part = await reads.activity(account, { before, sinceMs, untilMs, filter, entries: limit, reads: readsMax });
  const { items, isComplete } = await itemsOf(reads, part.entries, { filter, base }, createPageSize());
  return { outcome: 'page', items: items.map(({ text }) => text), next: isComplete ? part.next : (items.at(-1)?.position ?? null) };
};

/** Returns what happened in an account after a place, oldest first; without a place, the present one. */
export const laterActivity = async (reads: HistoryReads, question: LaterActivityQuestion): Promise<Reply> => {
  const { account, base, after, sinceMs, untilMs, filter, limit } = question;
  if (after === null) {
    const newest = await reads.entryAt(account, Number.MAX_SAFE_INTEGER);
    return { outcome: 'later-part', items: [], through: newest?.position ?? 0, isEnd: true };
  }
  const part = await reads.laterActivity(account, { after, sinceMs, untilMs, filter, entries: limit, reads: laterReadsMax });
  const { items, isComplete } = await itemsOf(reads, part.entries, { filter, base }, createPageSize(laterBytesMax));
  if (isComplete) return { outcome: 'later-part', items, through: part.through, isEnd: part.isEnd };
  return { outcome: 'later-part', items, through: items.at(-1)?.position ?? after, isEnd: false };
};

/** Returns the entries that count as readers get them, as far as their texts fit. */
const itemsOf = async (
  reads: HistoryReads,
  entries: readonly HistoryEntry[],
  { filter, base }: Pick<ActivityQuestion, 'filter' | 'base'>,
  size: PageSize,
): Promise<{ readonly items: readonly Item[]; readonly isComplete: boolean }> => {
  const counted = entries.filter((entry) => counts(entry, filter));
  const states = await statesOfPeople(reads, counted);
  // Begun with the items, so that they share queries.
  const people = peopleOf(reads, states);
  const textOf = async (entry: HistoryEntry): Promise<string> => {
    const item = await itemOf(reads, { entry, began: undefined }, { stream: entry.stream, base }, people);
    return JSON.stringify({ object: objectOf(entry.stream), ...item });
  };
  const texts = await pageTexts(counted, textOf, size);
  const items = texts.map((text, nth): Item => ({ position: counted[nth]?.position ?? 0, text }));
  return { items, isComplete: items.length === counted.length };
};

/** Leaves out the pieces of an erasure, and what only erased values have found. */
const counts = ({ type, movedMetres, origins, revision }: HistoryEntry, filter: ActivityFilter): boolean =>
  type !== 'ListMembersRestated' &&
  (filter.movedMetres === undefined || movedMetres !== null) &&
  (filter.field === undefined || origins[filter.field] === revision);
