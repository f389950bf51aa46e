import { partitionsOfCluster } from '@waymark/domain/partitions.ts';
import type { Db } from 'mongodb';
import { createDocumentCache } from '../document-cache.ts';
import { type ContradictoryEvent, projectionVersion } from '../projection/projection.ts';
import { type ReadModels, ReadModelsUnavailable } from '../read-models.ts';
import { createMongoClient, type MongoConnection } from './client.ts';
import { collectionsOf, dropCollections } from './collections.ts';
import { createMongoFacts, type MongoFacts } from './facts.ts';
import { createCompare } from './generations/compare.ts';
import { type Control, createControl, type GenerationEntry, readBy } from './generations/control.ts';
import { type Generation, type GenerationParts, openGeneration } from './generations/generation.ts';
import { createBelonging, type OwnInstallation, ownInstallation } from './generations/installation.ts';
import { createLease, type Lease } from './generations/lease.ts';
import type { Pointer } from './generations/pointer.ts';
import { type Comparison, versionOf } from './generations/registry.ts';
import { promote } from './generations/switch.ts';
import { createWriters } from './generations/writers.ts';
import { handlesMax } from './limits.ts';
import { type InTransaction, transactions } from './transactions.ts';

export type { Step } from './apply.ts';
export type { GenerationEntry } from './generations/control.ts';
export type { Digest } from './generations/digest.ts';
export type { Generation } from './generations/generation.ts';
export type { Comparison } from './generations/registry.ts';

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

export type Generations = {
  /** Returns all generations in the order in which they were begun. */
  readonly list: () => Promise<readonly GenerationEntry[]>;
  /** Begins a generation of this version and prepares it. If one is being filled already, returns that one. */
  readonly begin: () => Promise<string>;
  /** Returns the generation that this version reads, undefined where there is none, and those that writes wait for. The result is at most a
   * little older than `refreshMs`. */
  readonly roles: () => Promise<Roles>;
  /** Makes a complete generation the one that is read. It takes some seconds, and up to `graceMs` longer while readers of another version
   * are active. Several processes may call it at once, and again after a crash. */
  readonly promote: (name: string, options?: { readonly graceMs?: number }) => Promise<void>;
  /** Compares a complete generation with the one that is read, if that is of the same version and the same log: their content must be
   * equal. The result is stored, and returned again later. Undefined where there is none to compare with. */
  readonly compare: (name: string) => Promise<Comparison | undefined>;
  /** Makes no generation readable, and no write visible, until one is promoted. It is for read models that are of another log. */
  readonly withdraw: () => Promise<void>;
  /** Drops a generation that is neither read nor waited for.
   * @throws Error where it is */
  readonly retire: (name: string) => Promise<void>;
  /** Registers that a reader uses a generation. Call it every `seenMs`. `reader`: a separate id for each process. */
  readonly seen: (reader: string, name: string) => Promise<void>;
};

export type Roles = { readonly read: string | undefined; readonly awaited: readonly string[] };

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
  const belonging = createBelonging(database);
  const control = createControl(db, belonging.ours);
  const inTransaction = transactions(client);
  const writing = transactions(client, createWriters(db));
  const parts = { client, db, inTransaction, writing, partitions: partitionsOfCluster, begin: control.begin, contradicted };
  const generation = generationHandles(parts);
  const pointer = async (): Promise<Pointer | undefined> => {
    const stored = await control.pointer();
    belonging.assertOwn(stored);
    return stored;
  };
  const lease = createLease(pointer);
  const generations = generationsOf({ control: { ...control, pointer }, lease, generation, db, inTransaction, version, logger });
  return {
    ensure: control.ensure,
    live: createLiveModels(lease, modelsOf(generation, cachedOfBytes), version),
    generation,
    generations,
    visiblePosition: visiblePosition(lease, (name) => generation(name).models),
    ...ownInstallation({ control, lease, belonging, db, inTransaction }),
    facts: createMongoFacts(db, pointer),
    close: () => client.close(true),
  };
};

const noLiveGeneration = () => new ReadModelsUnavailable('No generation of the read models is live.');

type GenerationsParts = Pick<MongoReadSideOptions, 'logger'> & {
  /** A control whose pointer is never another installation's. */
  readonly control: Control;
  readonly lease: Lease;
  readonly generation: (name: string) => Generation;
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly version: number;
};

const generationsOf = ({ control, lease, generation, db, inTransaction, version, logger }: GenerationsParts): Generations => {
  const setPointer = async (change: () => Promise<void>): Promise<void> => {
    try {
      await change();
    } finally {
      lease.discard();
    }
  };
  /** Checks the installation before a step that does not read the pointer itself. */
  const assertOwn = async (): Promise<void> => void (await control.pointer());

  return {
    list: control.list,
    begin: async () => {
      await assertOwn();
      const name = await control.filling(version);
      await generation(name).prepare();
      return name;
    },
    roles: async () => {
      const { pointer } = await lease.known();
      return { read: readBy(version, pointer), awaited: pointer.awaited };
    },
    promote: (name, { graceMs } = {}) =>
      setPointer(async () => {
        await assertOwn();
        await promote(name, { control, generation, graceMs });
        logger?.info({ generation: name }, 'the generation is live');
      }),
    compare: (name) => compareWithRead(name, { control, db, generation }),
    withdraw: () =>
      setPointer(async () => {
        const pointer = await control.pointer();
        if (!pointer) return;
        const nobody = { revision: pointer.revision + 1, read: null, awaited: [], still: [] };
        if (!(await control.putPointer(pointer, nobody)))
          throw new ReadModelsUnavailable('Other processes are changing which generation is live.');
      }),
    retire: async (name) => {
      const pointer = await control.pointer();
      const inUse = [pointer?.read, ...(pointer?.awaited ?? []), ...(pointer?.still ?? [])].includes(name);
      if (inUse) throw new Error(`Generation ${name} is in use.`);
      await control.setState(name, 'retired');
      await dropCollections(collectionsOf(db, name), inTransaction);
      await control.forget(name);
      logger?.info({ generation: name }, 'the generation was dropped');
    },
    seen: control.readers.beat,
  };
};

type ComparingParts = Pick<GenerationsParts, 'control' | 'db' | 'generation'>;

const compareWithRead = async (name: string, { control, db, generation }: ComparingParts): Promise<Comparison | undefined> => {
  const known = (await control.list()).find((entry) => entry.name === name)?.compared;
  if (known) return known;
  const read = (await control.pointer())?.read ?? name;
  if (read === name || versionOf(read) !== versionOf(name)) return undefined;
  const [[one], [other]] = await Promise.all([generation(read).positions(), generation(name).positions()]);
  if (one === undefined || one.incarnation !== other?.incarnation) return undefined;
  const compared = await createCompare([collectionsOf(db, read), collectionsOf(db, name)], partitionsOfCluster);
  return control.setCompared(name, { with: read, ...compared });
};

/** Returns one handle for each generation, so that its requests share queries. */
const generationHandles = (parts: GenerationParts): ((name: string) => Generation) => {
  const handles = new Map<string, Generation>();
  return (name) => {
    const known = handles.get(name);
    if (known) return known;
    const [oldest] = handles.keys();
    if (oldest !== undefined && handles.size >= handlesMax) handles.delete(oldest);
    const made = openGeneration(name, parts);
    handles.set(name, made);
    return made;
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

/** Creates a function that returns the visible position. A result is rejected if the pointer changed while the positions were read. */
export const visiblePosition =
  (lease: Lease, models: (name: string) => Pick<ReadModels, 'position'>): MongoReadSide['visiblePosition'] =>
  async (partition) => {
    const known = await lease.known();
    const { awaited } = known.pointer;
    if (awaited.length === 0) throw noLiveGeneration();
    const positions = await Promise.all(awaited.map((name) => models(name).position(partition)));
    await lease.check(known);
    return Math.min(...positions.map(({ position }) => position));
  };

/** Creates the live read models. A result is rejected if the pointer changed while it was read. */
export const createLiveModels = (lease: Lease, models: ModelsOf, version: number): ReadModels => {
  const using = async <Value>(read: (models: ReadModels) => Promise<Value>): Promise<Value> => {
    const known = await lease.known();
    const name = readBy(version, known.pointer);
    if (name === undefined) throw noLiveGeneration();
    const value = await read(models(name));
    await lease.check(known);
    return value;
  };
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
