import { createMongoClient, type MongoConnection } from '@waymark/read-models/mongodb/client.ts';
import { type Generations, openGenerationStore } from '@waymark/read-models/mongodb/generations/generation-store.ts';
import type { OwnInstallation } from '@waymark/read-models/mongodb/generations/installation.ts';
import { createLiveReads, visiblePosition } from '@waymark/read-models/mongodb/generations/live.ts';
import type { ReadPosition } from '@waymark/read-models/read-models.ts';
import { type History, HistoryUnavailable } from '../history.ts';
import { historyVersion } from '../projection/projection.ts';
import { historyKinds } from './collections.ts';
import { type HistoryGeneration, openHistoryGeneration } from './generation.ts';
import { asHistoryUnavailable } from './unavailable.ts';

export type MongoHistoryOptions = MongoConnection & {
  /** The database of the read models. The history is beside them, with generations and a pointer of its own. */
  readonly database: string;
  /** The version of the projection whose generations this process fills and reads. */
  readonly version?: number | undefined;
  readonly logger?: { readonly info: (fields: object, message: string) => void } | undefined;
};

/** The history in MongoDB, a replica set. Every call settles within a time limit. */
export type MongoHistory = OwnInstallation & {
  /** Checks that the database can be used. Call it at every start.
   * @throws Error where it is not a replica set, ReadModelsUnavailable */
  readonly ensure: () => Promise<void>;
  /** The generation that is live for this version. `use` of a `read` may run again.
   * @throws HistoryUnavailable where none is live */
  readonly live: Pick<History, 'read' | 'position'>;
  /** Returns the lowest position of the generations that must have everything: those that are read, or are about to be.
   * @throws HistoryUnavailable */
  readonly visiblePosition: (partition: number) => Promise<number>;
  readonly generation: (name: string) => HistoryGeneration;
  readonly generations: Generations;
  /** Returns whether every generation has everything up to a position of a partition, and nothing of what was erased by then.
   * @throws HistoryUnavailable */
  readonly isCleaned: (partition: number, through: number) => Promise<boolean>;
  readonly close: () => Promise<void>;
};

/** Opens the history, and connects with the first call.
 * @throws the driver's error where the connection string is wrong: it may quote the string */
export const openMongoHistory = ({ url, ca, database, version = historyVersion, logger }: MongoHistoryOptions): MongoHistory => {
  const client = createMongoClient({ url, ca });
  const {
    lease,
    pointer: _,
    ...store
  } = openGenerationStore({
    client,
    db: client.db(database),
    prefix: 'history.',
    kinds: historyKinds,
    version,
    open: (name, context) => openHistoryGeneration(name, { ...context, client }),
    logger,
  });
  const reading = createLiveReads(lease, version);
  const historyOf = (name: string): History => store.generation(name).history;
  const visible = visiblePosition(lease, (name) => ({ position: (partition) => knownPosition(historyOf(name), partition) }));
  return {
    ...store,
    live: {
      read: (use) => asHistoryUnavailable(() => reading((name) => historyOf(name).read(use))),
      position: (partition) => asHistoryUnavailable(() => reading((name) => historyOf(name).position(partition))),
    },
    visiblePosition: (partition) => asHistoryUnavailable(() => visible(partition)),
    isCleaned: (partition, through) => asHistoryUnavailable(() => areAllCleaned(store, partition, through)),
    close: () => client.close(true),
  };
};

const knownPosition = async (history: History, partition: number): Promise<ReadPosition> => {
  const position = await history.position(partition);
  if (position === undefined) throw new HistoryUnavailable(`The history has no position in partition ${partition} yet.`);
  return position;
};

const areAllCleaned = async (
  { generation, generations }: Pick<MongoHistory, 'generation' | 'generations'>,
  partition: number,
  through: number,
): Promise<boolean> => {
  const kept = (await generations.list()).filter(({ state }) => state !== 'retired');
  const cleaned = await Promise.all(kept.map(({ name }) => generation(name).isCleaned(partition, through)));
  return cleaned.every(Boolean);
};
