import { createPageSize } from '@waymark/read-models/page-size.ts';
import type { HistoryReads } from '../history.ts';
import { itemOf } from './entry-item.ts';
import { linesBefore } from './lines.ts';
import { readPeople } from './people.ts';
import type { Question, Reply } from './questions.ts';

/** Returns a page of an object's history. As every page it ends before the first item that would make it too large. */
export const objectHistory = async (reads: HistoryReads, question: Extract<Question, { type: 'history' }>): Promise<Reply> => {
  const { stream, before, limit } = question;
  const lines = await linesBefore(reads, stream, before, limit + 1);
  const people = await readPeople(
    reads,
    lines.slice(0, limit).map(({ entry }) => entry),
  );
  const size = createPageSize();
  const items: string[] = [];
  for (const line of lines.slice(0, limit)) {
    const text = JSON.stringify(await itemOf(reads, line, question, people));
    if (!size.fits(text)) break;
    items.push(text);
  }
  return { outcome: 'page', items, next: lines.length > items.length ? (lines[items.length - 1]?.entry.position ?? null) : null };
};
