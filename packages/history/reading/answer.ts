import type { HistoryReads } from '../history.ts';
import { blame } from './blame.ts';
import { diff } from './diff.ts';
import { objectHistory } from './object-history.ts';
import type { Question, Reply, Subject } from './questions.ts';
import { version } from './version.ts';

/** Answers a question from a history at one position. */
export const answer = async (reads: HistoryReads, question: Question): Promise<Reply> => {
  const refusal = await refusalOf(reads, question);
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
  }
};

/** Refuses a question about an object that does not exist, or that belongs to another account. */
const refusalOf = async (reads: HistoryReads, { account, stream }: Subject): Promise<Reply | undefined> => {
  const last = (await reads.lastEntries([stream], Number.MAX_SAFE_INTEGER - 1)).get(stream);
  if (last === undefined) return { outcome: 'not-found' };
  return last.account === account ? undefined : { outcome: 'forbidden' };
};
