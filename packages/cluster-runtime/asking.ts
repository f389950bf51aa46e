import { partitionOf, partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { type History, HistoryUnavailable } from '@waymark/history/history.ts';
import { answerFully } from '@waymark/history/reading/answer-fully.ts';
import type { Question, Reply } from '@waymark/history/reading/questions.ts';

export type AskingPorts = {
  readonly history: Pick<History, 'read'>;
  /** Returns the position of the read models in a partition: every acknowledged write of its accounts is at or before it. */
  readonly acknowledged: (partition: number) => Promise<number>;
  /** Waits, for a bounded time, until the history has everything up to a position of an account's partition. */
  readonly reaches: (account: string, position: number) => boolean | Promise<boolean>;
};

/** Asks the history, once it has every write that was acknowledged before.
 * @throws HistoryUnavailable */
export type Ask = (question: Question) => Promise<Reply>;

/** Creates the function that asks the history, once it has every write that was acknowledged before. */
export const createAsking =
  ({ history, acknowledged, reaches }: AskingPorts): Ask =>
  async (question) => {
    const position = await acknowledged(partitionOf(question.account, partitionsOfCluster));
    if (!(await reaches(question.account, position))) throw new HistoryUnavailable('The history is not complete yet.');
    return answerFully(history, question);
  };
