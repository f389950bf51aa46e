import type { HistoryReads } from '../history.ts';
import { membersBetween } from './members-between.ts';
import type { Question, Reply } from './questions.ts';
import { representation, type Version, versionAt } from './version.ts';

/** Compares two versions of an object. Of a list, it also returns the members that were added and removed between them, page by page. */
export const diff = async (reads: HistoryReads, question: Extract<Question, { type: 'diff' }>): Promise<Reply> => {
  const { stream, from, to } = question;
  const [before, after] = [await versionAt(reads, stream, from), await versionAt(reads, stream, to)];
  if ('outcome' in before) return before;
  if ('outcome' in after) return after;
  const fields = await compared(before, after, question.base);
  if (!stream.startsWith('list-')) return { outcome: 'found', text: JSON.stringify({ from, to, fields }) };
  const { next, ...members } = await membersBetween(reads, before.entry, after.entry, question);
  return { outcome: 'part', text: JSON.stringify({ from, to, fields, members }).slice(0, -1), next };
};

const compared = async (before: Version, after: Version, base: string): Promise<object> => {
  // Few processes compare texts: they load what is needed for it when it is needed first.
  const { compareFields } = await import('../comparison/fields.ts');
  return compareFields(JSON.parse(representation(before, base)), JSON.parse(representation(after, base)));
};
