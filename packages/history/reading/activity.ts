import type { Position } from '@waymark/event-log/event-log.ts';
import { createPageSize } from '@waymark/read-models/page-size.ts';
import type { HistoryEntry } from '../entries.ts';
import type { ActivityFilter, HistoryReads } from '../history.ts';
import { itemOf, objectOf } from './entry-item.ts';
import { readPeople } from './people.ts';
import type { ActivityQuestion, Reply } from './questions.ts';

/** Entries that are compared with a filter at most: then the page ends early, possibly empty. The caller asks on until it has something. */
const readsMax = 50_000;

/** Returns a page of what happened in an account, newest first. */
export const activity = async (reads: HistoryReads, question: ActivityQuestion): Promise<Reply> => {
  const { account, base, before, sinceMs, untilMs, filter, limit } = question;
  const part = await reads.activity(account, { before, sinceMs, untilMs, filter, entries: limit, reads: readsMax });
  const entries = part.entries.filter((entry) => counts(entry, filter));
  const people = await readPeople(reads, entries);
  const size = createPageSize();
  const items: string[] = [];
  let last: Position | undefined;
  for (const entry of entries) {
    const item = await itemOf(reads, { entry, began: undefined }, { stream: entry.stream, base }, people);
    const text = JSON.stringify({ object: objectOf(entry.stream), ...item });
    if (!size.fits(text)) return { outcome: 'page', items, next: last ?? null };
    items.push(text);
    last = entry.position;
  }
  return { outcome: 'page', items, next: part.next };
};

/** Leaves out the pieces of an erasure, and what only erased values have found. */
const counts = ({ type, movedMetres, origins, revision }: HistoryEntry, filter: ActivityFilter): boolean =>
  type !== 'ListMembersRestated' &&
  (filter.movedMetres === undefined || movedMetres !== null) &&
  (filter.field === undefined || origins[filter.field] === revision);
