import { partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { createDocumentCache } from '../document-cache.ts';
import { type ContradictoryEvent, projectionVersion } from '../projection/projection.ts';
import type { ReadModels } from '../read-models.ts';
import { createMongoClient, type MongoConnection } from './client.ts';
import { collectionKinds, collectionsOf } from './collections.ts';
import { createMongoFacts, type MongoFacts } from './facts.ts';
import { createCompare } from './generations/compare.ts';
import { type Generation, openGeneration } from './generations/generation.ts';
import { type Generations, openGenerationStore } from './generations/generation-store.ts';
import type { OwnInstallation } from './generations/installation.ts';
import type { Lease } from './generations/lease.ts';
import { createLiveReads, visiblePosition } from './generations/live.ts';

export type { Digest } from './generations/digest.ts';
export type { Generation } from './generations/generation.ts';
export type { Generations, Roles } from './generations/generation-store.ts';
export type { Comparison } from './generations/registry.ts';
export type { Step } from './steps.ts';

export type MongoReadSideOptions = MongoConnection & {
  readonly database: string;
  /** The version of the projection whose generations this process fills and reads. */
  readonly version?: number | undefined;
  /** The memory of the process; a part of it caches single documents of the live generation. Without it there is no cache. */
  readonly cachedOfBytes?: number | undefined;
  readonly logger?: Logger | undefined;
  /** Only for a process that fills generations. */
  readonly contradicted?: ContradictoryEvent | undefined;
};

type Logger = { readonly info: (fields: object, message: string) => void };

/** Read models in MongoDB, a replica set. Every call throws ReadModelsUnavailable while the database is unavailable, and settles within a
 * time limit. */
export type MongoReadSide = OwnInstallation & {
  /** Checks that the database can be used. Call it at every start.
   * @throws Error where it is not a replica set, ReadModelsUnavailable */
  readonly ensure: () => Promise<void>;
  /** The read models of the generation that is live for this version. They are read-only. */
  readonly live: ReadModels;
  readonly generation: (name: string) => Generation;
  readonly generations: Generations;
  /** Returns the lowest position of the generations that writes wait for. */
  readonly visiblePosition: (partition: number) => Promise<number>;
  /** The known facts of the log, stored with the read models. */
  readonly facts: MongoFacts;
  readonly close: () => Promise<void>;
};

/** Opens the read models, and connects with the first call.
 * @throws the driver's error where the connection string is wrong: it may quote the string */
export const openMongoReadSide = (options: MongoReadSideOptions): MongoReadSide => {
  const { url, ca, database, version = projectionVersion, cachedOfBytes, logger, contradicted } = options;
  const client = createMongoClient({ url, ca });
  const db = client.db(database);
  const { lease, pointer, ...store } = openGenerationStore({
    client,
    db,
    kinds: collectionKinds,
    version,
    open: (name, context) => openGeneration(name, { ...context, client, db, partitions: partitionsOfCluster, contradicted }),
    compare: (one, other) => createCompare([collectionsOf(db, one), collectionsOf(db, other)], partitionsOfCluster),
    logger,
  });
  return {
    ...store,
    live: createLiveModels(lease, modelsOf(store.generation, cachedOfBytes), version),
    visiblePosition: visiblePosition(lease, (name) => store.generation(name).models),
    facts: createMongoFacts(db, pointer),
    close: () => client.close(true),
  };
};

type ModelsOf = (name: string) => ReadModels;

/** Returns read models with a cache for the generation that was used last. Another generation has other documents. */
const modelsOf = (generation: (name: string) => Generation, memoryBytes: number | undefined): ModelsOf => {
  if (memoryBytes === undefined) return (name) => generation(name).models;
  let last: { readonly name: string; readonly models: ReadModels } | undefined;
  return (name) => {
    if (last?.name !== name)
      last = { name, models: createDocumentCache(generation(name).models, { partitions: partitionsOfCluster, memoryBytes }) };
    return last.models;
  };
};

/** Creates the live read models. A result is rejected if the pointer changed while it was read. */
export const createLiveModels = (lease: Lease, models: ModelsOf, version: number): ReadModels => {
  const reading = createLiveReads(lease, version);
  const using = <Value>(read: (models: ReadModels) => Promise<Value>): Promise<Value> => reading((name) => read(models(name)));
  return {
    find: (kind, id) => using(({ find }) => find(kind, id)),
    page: (query) => using(({ page }) => page(query)),
    membership: (list, pinpoints) => using(({ membership }) => membership(list, pinpoints)),
    application: (id) => using(({ application }) => application(id)),
    applications: (after, limit) => using(({ applications }) => applications(after, limit)),
    position: (partition) => using(({ position }) => position(partition)),
    apply: async () => {
      throw new Error('The live read models are only read: apply events to a generation instead.');
    },
  };
};
