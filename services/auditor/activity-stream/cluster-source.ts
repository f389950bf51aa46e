import { partitionOf, partitionsOfCluster } from '@waymark/domain/partitions.ts';
import type { History } from '@waymark/history/history.ts';
import { answerFully } from '@waymark/history/reading/answer-fully.ts';
import type { StreamSource } from './source.ts';

/** Creates the source of streams in a cluster. They read the history as it is: what it does not have yet comes with a later part. */
export const createStreamSource = (history: Pick<History, 'read' | 'position'>): StreamSource => ({
  positions: async (accounts) => {
    const partitions = accounts.map((account) => partitionOf(account, partitionsOfCluster));
    const asked = [...new Set(partitions)];
    const positions = await Promise.all(asked.map(async (partition) => (await history.position(partition))?.position ?? 0));
    return partitions.map((partition) => positions[asked.indexOf(partition)] ?? 0);
  },
  ask: (question) => answerFully(history, question),
});
