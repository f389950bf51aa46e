import type { HistoryReads } from '../history.ts';
import { itemOf } from './entry-item.ts';
import { linesBefore, type SearchLimits } from './lines.ts';
import { pageTexts } from './page-texts.ts';
import { peopleOf, statesOfPeople } from './people.ts';
import type { Question, Reply } from './questions.ts';

/** Returns a page of an object's history. As every page it ends before the first item that would make it too large. */
export const objectHistory = async (
  reads: HistoryReads,
  question: Extract<Question, { type: 'history' }>,
  limits?: SearchLimits,
): Promise<Reply> => {
  const { stream, before, limit } = question;
  const { lines, next } = await linesBefore(reads, stream, before, limit + 1, limits);
  const page = lines.slice(0, limit);
  const states = await statesOfPeople(
    reads,
    page.map(({ entry }) => entry),
  );
  // Begun with the items, so that they share queries.
  const people = peopleOf(reads, states);
  const items = await pageTexts(page, async (line) => JSON.stringify(await itemOf(reads, line, question, people)));
  return { outcome: 'page', items, next: lines.length > items.length ? (lines[items.length - 1]?.entry.position ?? null) : next };
};
