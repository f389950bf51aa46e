import type { HistoryReads } from '../history.ts';
import type { Reply } from './questions.ts';

/** Refuses a question about an object that never existed, or that belongs to another account. */
export const refusalOf = async (reads: HistoryReads, account: string, stream: string): Promise<Reply | undefined> => {
  const last = (await reads.lastStates([stream])).get(stream);
  if (last === undefined) return { outcome: 'not-found' };
  return last.account === account ? undefined : { outcome: 'forbidden' };
};
