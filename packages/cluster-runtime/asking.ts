import { partitionOf, partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { type History, HistoryUnavailable } from '@waymark/history/history.ts';
import { answerFully } from '@waymark/history/reading/answer-fully.ts';
import type { Question, Reply } from '@waymark/history/reading/questions.ts';
import { createTurnsByKey } from '@waymark/timing/turns-by-key.ts';

export type AskingPorts = {
  readonly history: Pick<History, 'read'>;
  /** Returns the position of the read models in a partition: every acknowledged write of its accounts is at or before it. */
  readonly acknowledged: (partition: number) => Promise<number>;
  /** Waits, for a bounded time, until the history has everything up to a position of a partition. */
  readonly reaches: (partition: number, position: number) => boolean | Promise<boolean>;
};

/** Asks the history, once it has every write that was acknowledged before.
 * @throws HistoryUnavailable */
export type Ask = (question: Question) => Promise<Reply>;

const allPartitions = Array.from({ length: partitionsOfCluster }, (_, partition) => partition);
/** How long a question about an unknown object may go on to wait for further accounts. */
const othersWaitMs = 5_000;

/** Questions of an account that are answered at once. The number of those that wait has a limit elsewhere. */
const questionsAtOnceMax = 2;

/** Creates the function that asks the history, once it has every write that was acknowledged before. The questions of an account
 * take turns, so that they do not occupy the process and the database for the others. */
export const createAsking = ({ history, acknowledged, reaches }: AskingPorts): Ask => {
  const isComplete = async (partition: number): Promise<boolean> => reaches(partition, await acknowledged(partition));
  /** Waits for one partition after the other: a question takes up one wait at a time, of all that the process may have. */
  const isCompleteForAll = async (): Promise<boolean> => {
    const endMs = performance.now() + othersWaitMs;
    for (const partition of allPartitions) {
      if (performance.now() > endMs || !(await isComplete(partition))) return false;
    }
    return true;
  };
  const turns = createTurnsByKey(questionsAtOnceMax);
  const answered = (question: Question): Promise<Reply> => turns(question.account, () => answerFully(history, question));
  return async (question) => {
    const isOwnComplete = await isComplete(partitionOf(question.account, partitionsOfCluster));
    if (!isOwnComplete) throw new HistoryUnavailable('The history is not complete yet.');
    const reply = await answered(question);
    if (reply.outcome !== 'not-found') return reply;
    // It may be another account's, in whose partition the history is behind. If it remains behind, others do not delay this account further.
    return (await isCompleteForAll()) ? answered(question) : reply;
  };
};
