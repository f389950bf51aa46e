import { installationPattern, isInstallation } from '@waymark/domain/installation.ts';
import type { Collection, Db, Filter } from 'mongodb';
import { guarded, isDuplicate, within } from './mongodb-client.ts';
import { type Comparison, fillingsOf, type GenerationRow, type GenerationState, versionOf } from './mongodb-fillings.ts';
import { callMs, generationsMax } from './mongodb-limits.ts';
import { beatsOf, readersOf } from './mongodb-readers.ts';
import type { Within } from './mongodb-transactions.ts';
import { ReadModelsUnavailable } from './read-models.ts';

/** What the control collections say, and how they change: every change of the pointer is a compare-and-set. */

/** Which generation is live. Only this document makes one so. */
export type Pointer = {
  /** Rises with each change. */
  readonly revision: number;
  /** The generation that is read; null where none is fit to be. */
  readonly read: string | null;
  /** Those that writes wait for. */
  readonly waited: readonly string[];
  /** Those that readers of another projection version may go on reading: they were read before, and are still waited for. */
  readonly still: readonly string[];
  /** Whose read side the database holds; undefined before the first claim, and where v0.1.0 has moved the pointer since. */
  readonly installation?: string | undefined;
  /** The installation whose read side is being removed: the database is not used before that is done. */
  readonly emptying?: string | undefined;
};

export type GenerationEntry = {
  readonly name: string;
  /** Of the projection that fills it. */
  readonly version: number;
  /** Rises with each that is begun, also over the loss of everything. */
  readonly serial: number;
  /** `live`: it is, was, or is about to be; it must be fed. `retired`: its collections are being dropped. */
  readonly state: GenerationState;
  /** With the generation of the same version whose place it takes; undefined before that, and where there was none. */
  readonly compared?: Comparison;
};

/** Before anything was promoted. */
const nothingRead: Omit<Pointer, 'revision'> = { read: null, waited: [], still: [] };
const noPointer: Pointer = { revision: 0, ...nothingRead };

type PointerRow = Pointer & { readonly _id: 'pointer' };

export type Control = ReturnType<typeof controlOf>;

/** The generation that readers of this version use, if there is one for them. */
export const readBy = (version: number, { read, still }: Pointer): string | undefined =>
  [...still, ...(read === null ? [] : [read])].findLast((name) => versionOf(name) === version);

/** Of one document, so that nobody reads a pointer of one installation with the name of another. */
const pointerOf = ({ revision, read, waited, still, installation, emptying }: PointerRow): Pointer => ({
  revision,
  read,
  waited,
  still,
  ...(isInstallation(installation) && { installation }),
  ...(isInstallation(emptying) && { emptying }),
});

const thePointer = { _id: { $eq: 'pointer' } } as const;
const unclaimed: Filter<PointerRow> = { ...thePointer, installation: { $not: installationPattern } };
const triesMax = 5;

const ownedBy = (installation: string): Filter<PointerRow> => ({
  $or: [{ installation: { $eq: installation } }, { installation: { $exists: false } }],
  emptying: { $exists: false },
});

const named = (name: string) => ({ _id: { $eq: name } });

const firstCompared = async (
  generations: Collection<GenerationRow>,
  name: string,
  compared: Comparison,
): Promise<Comparison | undefined> => {
  await generations.updateOne({ ...named(name), compared: { $exists: false } }, { $set: { compared } }, { ...within(callMs) });
  return (await generations.findOne(named(name), within(callMs)))?.compared;
};

const entryOf = ({ _id: name, version, serial, state, compared }: GenerationRow): GenerationEntry => ({
  name,
  version,
  serial,
  state,
  ...(compared && { compared }),
});

const usable: GenerationState[] = ['filling', 'live'];

const ensure = async (db: Db): Promise<void> => {
  const { setName } = await db.admin().command({ hello: 1 }, within(callMs));
  if (typeof setName !== 'string') throw new Error('MongoDB has to be a replica set, if only of one: the read side needs transactions.');
};

/** @param ours the installation that the process belongs to, once it is known: then it moves no pointer of another one */
export const controlOf = (db: Db, ours: () => string | undefined = () => undefined) => {
  const pointers: Collection<PointerRow> = db.collection('pointer');
  const generations: Collection<GenerationRow> = db.collection('generations');
  const filling = fillingsOf(db, generations);

  const insert = async (pointer: Pointer): Promise<boolean> => {
    try {
      await pointers.insertOne({ _id: 'pointer', ...pointer }, { ...within(callMs) });
      return true;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  };

  const stored = async (): Promise<Pointer | undefined> => {
    const row = await pointers.findOne(thePointer, within(callMs));
    return row ? pointerOf(row) : undefined;
  };

  const putPointer = async (before: Pointer | undefined, { revision, read, waited, still }: Omit<Pointer, 'installation'>) => {
    const installation = ours();
    const pointer = { revision, read, waited, still, ...(installation !== undefined && { installation }) };
    if (!before) return insert(pointer);
    const isOurs = installation === undefined ? {} : ownedBy(installation);
    const filter: Filter<PointerRow> = { ...thePointer, revision: { $eq: before.revision }, ...isOurs };
    return (await pointers.updateOne(filter, { $set: pointer }, { ...within(callMs) })).matchedCount === 1;
  };

  const claim = async (installation: string): Promise<Pointer> => {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const pointer = await stored();
      if (pointer?.installation !== undefined) return pointer;
      if (pointer) await pointers.updateOne(unclaimed, { $set: { installation } }, { ...within(callMs) });
      else await insert({ ...noPointer, installation });
    }
    throw new ReadModelsUnavailable('Others keep changing whose read side it is.');
  };

  const takeOver = async (ours: string, other: string): Promise<boolean> => {
    const filter: Filter<PointerRow> = { ...thePointer, installation: { $eq: other } };
    const change = { $set: { ...nothingRead, installation: ours, emptying: other }, $inc: { revision: 1 } };
    if ((await pointers.updateOne(filter, change, { ...within(callMs) })).matchedCount === 1) return true;
    const { installation, emptying } = (await stored()) ?? {};
    return installation === ours && emptying === other;
  };

  const setState = async (name: string, state: GenerationState): Promise<boolean> => {
    await filling.release(name);
    // What is being dropped does not come back.
    const filter = state === 'retired' ? named(name) : { ...named(name), state: { $in: usable } };
    return (await generations.updateOne(filter, { $set: { state } }, { ...within(callMs) })).matchedCount === 1;
  };

  return {
    ensure: () => guarded(() => ensure(db)),
    pointer: (): Promise<Pointer | undefined> => guarded(stored),
    /** False where the pointer is not what it was, or is another installation's. */
    putPointer: (before: Pointer | undefined, pointer: Omit<Pointer, 'installation'>) => guarded(() => putPointer(before, pointer)),
    /** Names the installation that the read side belongs to, unless one is named. @returns the pointer, with the one that is */
    claim: (installation: string): Promise<Pointer> => guarded(() => claim(installation)),
    /** Puts one installation in the place of another, and withdraws what is read. False where neither that nor its repetition is possible. */
    takeOver: (ours: string, other: string): Promise<boolean> => guarded(() => takeOver(ours, other)),
    /** The database is empty of another installation. False where it was so already, or is not this one's. */
    begins: async (ours: string, other: string, at: Within): Promise<boolean> => {
      const filter: Filter<PointerRow> = { ...thePointer, installation: { $eq: ours }, emptying: { $eq: other } };
      return (await pointers.updateOne(filter, { $unset: { emptying: true } }, { ...at })).matchedCount === 1;
    },
    list: (): Promise<readonly GenerationEntry[]> =>
      guarded(async () => {
        const rows = await generations.find({}, { sort: { serial: 1 }, limit: generationsMax, ...within(callMs) }).toArray();
        return rows.map(entryOf);
      }),
    /** Of the one that is being filled for this version: there is one at most, and one is begun where there is none. */
    filling: (version: number) => guarded(() => filling.begin(version)),
    /** False where it is not known, or is being dropped. */
    setState: (name: string, state: GenerationState) => guarded(() => setState(name, state)),
    /** The first word counts, and is told. */
    setCompared: (name: string, compared: Comparison) => guarded(() => firstCompared(generations, name, compared)),
    forget: (name: string) => guarded(async () => void (await generations.deleteOne(named(name), { ...within(callMs) }))),
    /** A generation that was dropped, or wiped with everything else, is never begun again. */
    begin: async (name: string, at: Within): Promise<void> => {
      const filter = { ...named(name), state: { $in: usable } };
      const { matchedCount } = await generations.updateOne(filter, { $set: { begun: true } }, { ...at });
      if (matchedCount !== 1) throw new ReadModelsUnavailable(`There is no generation ${name} to fill.`);
    },
    readers: readersOf(db),
    beats: beatsOf(db),
  };
};
