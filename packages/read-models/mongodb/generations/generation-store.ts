import type { Db, MongoClient } from 'mongodb';
import { ReadModelsUnavailable } from '../../read-models.ts';
import { handlesMax } from '../limits.ts';
import { namespaceIn } from '../namespace.ts';
import { transactions } from '../transactions.ts';
import type { Compared } from './compare.ts';
import { type Control, createControl, type GenerationEntry, readBy } from './control.ts';
import { createBelonging, type OwnInstallation, ownInstallation } from './installation.ts';
import { createLease, type Lease, type LeasedPointer } from './lease.ts';
import type { Pointer } from './pointer.ts';
import { type Comparison, versionOf } from './registry.ts';
import type { GenerationContext, StoredGeneration } from './stored-generation.ts';
import { promote } from './switch.ts';
import { createWriters } from './writers.ts';

export type Generations = {
  /** Returns all generations in the order in which they were begun. */
  readonly list: () => Promise<readonly GenerationEntry[]>;
  /** Begins a generation of this version and prepares it. If one is being filled already, returns that one. */
  readonly begin: () => Promise<string>;
  /** Returns the generation that this version reads, undefined where there is none, and those that writes wait for. The result is at most
   * `leaseMs` old. */
  readonly roles: () => Promise<Roles>;
  /** Returns the same, always from a query. */
  readonly readRoles: () => Promise<Roles>;
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

export type Roles = {
  readonly read: string | undefined;
  /** Whether another version has superseded it. Then it is dropped as soon as the readers that used it before are gone. */
  readonly isSuperseded: boolean;
  readonly awaited: readonly string[];
  /** When the pointer was queried, by the clock of `performance.now`. */
  readonly askedAtMs: number;
};

export type GenerationStoreOptions<One> = {
  readonly client: MongoClient;
  readonly db: Db;
  /** The prefix of the names of all collections. */
  readonly prefix?: string;
  /** The names of the collections of a generation. */
  readonly kinds: readonly string[];
  readonly version: number;
  readonly open: (name: string, context: GenerationContext) => One;
  /** Compares the content of two generations of the same log. */
  readonly compare?: (one: string, other: string) => Promise<Compared>;
  readonly logger?: { readonly info: (fields: object, message: string) => void } | undefined;
};

/** The generations of one kind of data that is computed from the log, and the pointer that says which of them is live. */
export type GenerationStore<One> = OwnInstallation & {
  /** Checks that the database can be used. Call it at every start.
   * @throws Error where it is not a replica set, ReadModelsUnavailable */
  readonly ensure: () => Promise<void>;
  readonly generation: (name: string) => One;
  readonly generations: Generations;
  readonly lease: Lease;
  /** Returns the pointer.
   * @throws ForeignReadModels where it is another installation's, ReadModelsUnavailable */
  readonly pointer: () => Promise<Pointer | undefined>;
};

export const openGenerationStore = <One extends StoredGeneration>(options: GenerationStoreOptions<One>): GenerationStore<One> => {
  const { client, db, prefix, kinds, version, open, compare, logger } = options;
  const namespace = namespaceIn(db, prefix);
  const belonging = createBelonging(db.databaseName);
  const control = createControl(namespace, belonging.ours);
  const inTransaction = transactions(client);
  const context = { namespace, inTransaction, writing: transactions(client, createWriters(namespace)), begin: control.begin };
  const generation = generationHandles((name) => open(name, context));
  const pointer = async (): Promise<Pointer | undefined> => {
    const stored = await control.pointer();
    belonging.assertOwn(stored);
    return stored;
  };
  const lease = createLease(pointer);
  const drop = (name: string): Promise<void> => generation(name).drop();
  return {
    ensure: control.ensure,
    generation,
    generations: generationsOf({ control: { ...control, pointer }, lease, generation, version, compare, logger }),
    lease,
    pointer,
    ...ownInstallation({ control, lease, belonging, namespace, kinds, drop, inTransaction }),
  };
};

type Parts<One> = Pick<GenerationStoreOptions<One>, 'logger' | 'version'> & {
  readonly compare: GenerationStoreOptions<One>['compare'] | undefined;
  /** A control whose pointer is never another installation's. */
  readonly control: Control;
  readonly lease: Lease;
  readonly generation: (name: string) => One;
};

const generationsOf = <One extends StoredGeneration>({ control, lease, generation, version, compare, logger }: Parts<One>): Generations => {
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
    roles: async () => rolesFor(version, await lease.known()),
    readRoles: async () => rolesFor(version, await lease.read()),
    promote: (name, { graceMs } = {}) =>
      setPointer(async () => {
        await assertOwn();
        await promote(name, { control, generation, graceMs });
        logger?.info({ generation: name }, 'the generation is live');
      }),
    compare: (name) => (compare === undefined ? Promise.resolve(undefined) : comparisonOf(name, { control, generation, compare })),
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
      await generation(name).drop();
      await control.forget(name);
      logger?.info({ generation: name }, 'the generation was dropped');
    },
    seen: control.readers.beat,
  };
};

const rolesFor = (version: number, { pointer, askedAt }: LeasedPointer): Roles => {
  const read = readBy(version, pointer);
  return { read, isSuperseded: read !== pointer.read, awaited: pointer.awaited, askedAtMs: askedAt };
};

type ComparingParts = {
  readonly control: Control;
  readonly generation: (name: string) => StoredGeneration;
  readonly compare: (one: string, other: string) => Promise<Compared>;
};

const comparisonOf = async (name: string, { control, generation, compare }: ComparingParts): Promise<Comparison | undefined> => {
  const known = (await control.list()).find((entry) => entry.name === name)?.compared;
  if (known) return known;
  const read = (await control.pointer())?.read ?? name;
  if (read === name || versionOf(read) !== versionOf(name)) return undefined;
  const [[one], [other]] = await Promise.all([generation(read).positions(), generation(name).positions()]);
  if (one === undefined || one.incarnation !== other?.incarnation) return undefined;
  return control.setCompared(name, { with: read, ...(await compare(read, name)) });
};

/** Returns one handle for each generation, so that its requests share queries. */
const generationHandles = <One>(open: (name: string) => One): ((name: string) => One) => {
  const handles = new Map<string, One>();
  return (name) => {
    const known = handles.get(name);
    if (known) return known;
    const [oldest] = handles.keys();
    if (oldest !== undefined && handles.size >= handlesMax) handles.delete(oldest);
    const made = open(name);
    handles.set(name, made);
    return made;
  };
};
