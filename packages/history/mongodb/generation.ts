import { partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { orUnavailable, timeoutOptions } from '@waymark/read-models/mongodb/client.ts';
import { mongoPositions, positionOf } from '@waymark/read-models/mongodb/find.ts';
import type { GenerationContext, StoredGeneration } from '@waymark/read-models/mongodb/generations/stored-generation.ts';
import { callMs } from '@waymark/read-models/mongodb/limits.ts';
import type { Step } from '@waymark/read-models/mongodb/steps.ts';
import type { MongoClient } from 'mongodb';
import type { History } from '../history.ts';
import { createApply } from './apply.ts';
import { mongoCleaning } from './clean.ts';
import { type Collections, dropHistory, historyCollections, prepareHistory } from './collections.ts';
import { type MongoHistoryDigest, mongoHistoryDigest } from './digest.ts';
import { readMs } from './limits.ts';
import { createReads } from './reads.ts';
import { openSnapshot } from './snapshot.ts';
import { asHistoryUnavailable } from './unavailable.ts';

/** One generation of the history: its own collections, filled from the log by a feeder. */
export type HistoryGeneration = StoredGeneration & {
  /** Its name. No generation of the read models has the same one. */
  readonly name: string;
  /** Its content, whether it is live or not. `use` of a `read` may run again. */
  readonly history: History;
  /** Applies all steps, each of another partition, in one transaction, or none: false where one of them did not match. After an error the
   * steps may or may not have been applied; `positions` shows it.
   * @throws NewerEvent, RangeError, ReadModelsUnavailable */
  readonly applyTogether: (steps: readonly Step[]) => Promise<boolean>;
  /** @throws HistoryUnavailable */
  readonly digest: () => Promise<MongoHistoryDigest>;
  /** Returns whether it has everything up to a position of a partition, and nothing of what was erased by then.
   * @throws ReadModelsUnavailable */
  readonly isCleaned: (partition: number, through: number) => Promise<boolean>;
};

export const openHistoryGeneration = (name: string, context: GenerationContext & { readonly client: MongoClient }): HistoryGeneration => {
  const { client, namespace, inTransaction, writing, begin } = context;
  const collections = historyCollections(namespace, name);
  const applyTogether = createApply(collections, writing, (at) => begin(name, at));
  const position = createPosition(collections);
  let cleaning = mongoCleaning(collections, writing);
  return {
    name: `${namespace.prefix}${name}`,
    history: {
      read: (use) =>
        asHistoryUnavailable(() =>
          inTransaction(readMs, async (at) => {
            const snapshot = openSnapshot(collections, at);
            try {
              const value = await use(createReads(snapshot));
              await snapshot.check();
              return value;
            } finally {
              await snapshot.end();
            }
          }),
        ),
      position: (partition) => asHistoryUnavailable(() => position(partition)),
      apply: (partition, after, events, to) => asHistoryUnavailable(() => applyTogether([{ partition, after, events, to }])),
      clean: () =>
        asHistoryUnavailable(async () => {
          const step = cleaning;
          // Calls at the same time take steps of their own. After an error that it throws, the generator is at its end.
          cleaning = mongoCleaning(collections, writing);
          const { done, value: failure } = await step.next();
          if (done !== true) cleaning = step;
          if (failure !== undefined) throw failure;
          return done !== true;
        }),
    },
    positions: () => mongoPositions(collections, partitionsOfCluster),
    applyTogether,
    digest: () => asHistoryUnavailable(() => mongoHistoryDigest(client, collections)),
    isCleaned: async (partition, through) => {
      const reached = await position(partition);
      return reached !== undefined && reached.position >= through && !(await isUnclean(collections, through));
    },
    prepare: () => prepareHistory(collections),
    drop: () => dropHistory(collections, inTransaction),
  };
};

const createPosition =
  ({ position }: Collections) =>
  (partition: number) =>
    orUnavailable(async () => {
      const row = await position.findOne({ _id: { $eq: partition } }, timeoutOptions(callMs));
      return row ? positionOf(row) : undefined;
    });

const isUnclean = ({ mark }: Collections, through: number): Promise<boolean> =>
  orUnavailable(async () => {
    const filter = { clean: { $eq: false }, position: { $lte: through } };
    return (await mark.findOne(filter, { projection: { _id: 1 }, ...timeoutOptions(callMs) })) !== null;
  });
