import type { Position } from '@waymark/event-log/event-log.ts';
import { createPageSize } from '@waymark/read-models/page-size.ts';
import { distanceMetres } from '../comparison/distance.ts';
import type { HistoryEntry, Values } from '../entries.ts';
import type { HistoryReads } from '../history.ts';
import { valuesBefore } from './changed-fields.ts';
import { itemOf, objectOf } from './entry-item.ts';
import { fieldValues } from './field-values.ts';
import { type People, readPeople } from './people.ts';
import type { ActivityQuestion, Reply } from './questions.ts';

/** Entries that are compared with a filter at once. */
const readsMax = 50_000;
/** Entries that are read at once. */
const entriesTogether = 50;

/** Returns a page of what happened in an account, newest first. It reads on until it finds something, or has read all. */
export const activity = async (reads: HistoryReads, question: ActivityQuestion): Promise<Reply> => {
  const { limit, base } = question;
  const size = createPageSize();
  const items: string[] = [];
  let last: Position | null = null;
  for await (const { entry, people } of matching(reads, question)) {
    const item = await itemOf(reads, { entry, began: undefined }, { stream: entry.stream, base }, people);
    const text = JSON.stringify({ object: objectOf(entry.stream), ...item });
    if (items.length === limit || !size.fits(text)) return { outcome: 'page', items, next: last };
    items.push(text);
    last = entry.position;
  }
  return { outcome: 'page', items, next: null };
};

/** Yields the entries that a question asks for. */
async function* matching(reads: HistoryReads, question: ActivityQuestion): AsyncGenerator<{ entry: HistoryEntry; people: People }> {
  const { account, sinceMs, untilMs, filter, movedMetres } = question;
  for (let before: Position | null = question.before; before !== null; ) {
    const part = await reads.activity(account, { before, sinceMs, untilMs, filter, entries: entriesTogether, reads: readsMax });
    const people = await readPeople(reads, part.entries);
    for (const entry of part.entries) {
      if (entry.type === 'ListMembersRestated') continue;
      if (movedMetres === null || (await metresMoved(reads, entry)) > movedMetres) yield { entry, people };
    }
    before = part.next;
  }
}

/** Returns how far an event moved its object; 0 where it did not, or where the old place is not known. */
const metresMoved = async (reads: HistoryReads, entry: HistoryEntry): Promise<number> => {
  const { latitude, longitude } = entry.origins;
  if (latitude !== entry.revision && longitude !== entry.revision) return 0;
  const [from, to] = [placeOf(await valuesBefore(reads, entry)), placeOf(await fieldValues(reads, entry))];
  return from === undefined || to === undefined ? 0 : distanceMetres(from, to);
};

const placeOf = ({ latitude, longitude }: Values) =>
  typeof latitude === 'number' && typeof longitude === 'number' ? { latitude, longitude } : undefined;
