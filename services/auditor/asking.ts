import { partitionOf, partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { type History, HistoryUnavailable } from '@waymark/history/history.ts';
import { answerFully } from '@waymark/history/reading/answer-fully.ts';
import { createQuestionLimit } from '@waymark/history/reading/question-limit.ts';
import type { StreamSource } from './activity-stream/source.ts';
import { accountQuestionsMax, questionsMax } from './limits.ts';
import type { AuditorOptions } from './options.ts';

export type AskingPorts = {
  readonly history: Pick<History, 'read'>;
  /** Returns the position of the read models in a partition: every acknowledged write of its accounts is at or before it. */
  readonly acknowledged: (partition: number) => Promise<number>;
  /** Waits, for a bounded time, until the history has everything up to a position of an account's partition. */
  readonly reaches: (account: string, position: number) => boolean | Promise<boolean>;
};

/** Creates the function that asks the history, once it has every write that was acknowledged before. */
export const createAsking = ({ history, acknowledged, reaches }: AskingPorts): AuditorOptions['ask'] => {
  const limited = createQuestionLimit({ questionsMax, accountQuestionsMax });
  return (question) =>
    limited(question.account, async () => {
      const position = await acknowledged(partitionOf(question.account, partitionsOfCluster));
      if (!(await reaches(question.account, position))) throw new HistoryUnavailable('The history is not complete yet.');
      return answerFully(history, question);
    });
};

/** Creates the source of streams. They read the history as it is: what it does not have yet comes with a later part. */
export const createStreamSource = (history: Pick<History, 'read' | 'position'>): StreamSource => ({
  positions: async (accounts) => {
    const partitions = accounts.map((account) => partitionOf(account, partitionsOfCluster));
    const asked = [...new Set(partitions)];
    const positions = await Promise.all(asked.map(async (partition) => (await history.position(partition))?.position ?? 0));
    return partitions.map((partition) => positions[asked.indexOf(partition)] ?? 0);
  },
  ask: (question) => answerFully(history, question),
});
