import type { HistoryReads } from '../history.ts';
import { activity, laterActivity } from './activity.ts';
import { asOf } from './as-of.ts';
import { blame } from './blame.ts';
import { changes } from './changes/changes.ts';
import { diff } from './diff.ts';
import { objectHistory } from './object-history.ts';
import { refusalOf } from './owner.ts';
import { readPeople } from './people.ts';
import type { PeopleQuestion, Question, Reply } from './questions.ts';
import { restorable } from './undo/restorable.ts';
import { placeOfEvent, undoScope } from './undo/scope.ts';
import { undoable } from './undo/undoable.ts';
import { version } from './version.ts';

/** Answers a question from a history at one position. */
export const answer = async (reads: HistoryReads, question: Question): Promise<Reply> => {
  if (question.type === 'as-of') return asOf(reads, question);
  if (question.type === 'activity') return activity(reads, question);
  if (question.type === 'people') return peopleOf(reads, question);
  if (question.type === 'changes') return changes(reads, question);
  if (question.type === 'later-activity') return laterActivity(reads, question);
  if (question.type === 'undo-scope') return undoScope(reads, question);
  if (question.type === 'place-of-event') return placeOfEvent(reads, question);
  const refusal = await refusalOf(reads, question.account, question.stream);
  if (refusal) return refusal;
  switch (question.type) {
    case 'history':
      return objectHistory(reads, question);
    case 'version':
      return version(reads, question);
    case 'blame':
      return blame(reads, question);
    case 'diff':
      return diff(reads, question);
    case 'restorable':
      return restorable(reads, question);
    case 'undoable':
      return undoable(reads, question);
  }
};

/** Returns one item for each element of the question. */
const peopleOf = async (reads: HistoryReads, { account, of }: PeopleQuestion): Promise<Reply> => {
  const entries = of.map((one) => ({ ...one, account }));
  const people = await readPeople(reads, entries);
  const items = entries.map((entry) => JSON.stringify({ actor: people.actor(entry), changeset: people.changeset(entry) }));
  return { outcome: 'page', items, next: null };
};
