import { installationPattern, isInstallation } from '@waymark/domain/installation.ts';
import type { Collection, Filter } from 'mongodb';
import { ReadModelsUnavailable } from '../../read-models.ts';
import { isDuplicate, orUnavailable, timeoutOptions } from '../client.ts';
import { callMs } from '../limits.ts';
import type { Namespace } from '../namespace.ts';
import type { TransactionContext } from '../transactions.ts';

/** The document that alone decides which generation is live. */
export type Pointer = {
  /** A number that rises with each change. */
  readonly revision: number;
  /** The generation that is read; null where none can be. */
  readonly read: string | null;
  /** The generations that writes wait for. */
  readonly awaited: readonly string[];
  /** The generations that readers of another projection version may keep reading. They were read before, and writes still wait for them. */
  readonly still: readonly string[];
  /** The installation whose read models the database holds; undefined before the first claim, and where v0.1.0 has moved the pointer since. */
  readonly installation?: string | undefined;
  /** The installation whose read models are being removed. The database is not used until that is done. */
  readonly emptying?: string | undefined;
};

/** Stored: never rename a field. */
type PointerRow = {
  readonly _id: 'pointer';
  readonly revision: number;
  readonly read: string | null;
  readonly waited: readonly string[];
  readonly still: readonly string[];
  readonly installation?: string | undefined;
  readonly emptying?: string | undefined;
};
type PointerFields = Omit<PointerRow, '_id'>;

/** The fields before the first promotion. */
const nothingRead: Omit<PointerFields, 'revision'> = { read: null, waited: [], still: [] };
const noPointer: PointerFields = { revision: 0, ...nothingRead };

/** Reads both from one document, so that no process reads the pointer of one installation with the name of another. */
const fromStored = (row: PointerRow): Pointer => ({
  revision: row.revision,
  read: row.read,
  awaited: row.waited,
  still: row.still,
  ...(isInstallation(row.installation) && { installation: row.installation }),
  ...(isInstallation(row.emptying) && { emptying: row.emptying }),
});

const toStored = (pointer: Pick<Pointer, 'revision' | 'read' | 'awaited' | 'still'>, installation: string | undefined): PointerFields => ({
  revision: pointer.revision,
  read: pointer.read,
  waited: pointer.awaited,
  still: pointer.still,
  ...(installation !== undefined && { installation }),
});

const thePointer = { _id: { $eq: 'pointer' } } as const;
const unclaimed: Filter<PointerRow> = { ...thePointer, installation: { $not: installationPattern } };
const triesMax = 5;

const ownedBy = (installation: string): Filter<PointerRow> => ({
  $or: [{ installation: { $eq: installation } }, { installation: { $exists: false } }],
  emptying: { $exists: false },
});

/** Returns false if there is a pointer already. */
const insert = async (pointers: Collection<PointerRow>, pointer: PointerFields): Promise<boolean> => {
  try {
    await pointers.insertOne({ _id: 'pointer', ...pointer }, { ...timeoutOptions(callMs) });
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
};

/** @param ours the installation of the process, once it is known. Then the process does not move the pointer of another one. */
export const createPointers = (namespace: Namespace, ours: () => string | undefined) => {
  const pointers: Collection<PointerRow> = namespace.collection('pointer');

  const stored = async (): Promise<Pointer | undefined> => {
    const row = await pointers.findOne(thePointer, timeoutOptions(callMs));
    return row ? fromStored(row) : undefined;
  };

  const putPointer = async (before: Pointer | undefined, next: Omit<Pointer, 'installation'>) => {
    const installation = ours();
    const pointer = toStored(next, installation);
    if (!before) return insert(pointers, pointer);
    const isOurs = installation === undefined ? {} : ownedBy(installation);
    const filter: Filter<PointerRow> = { ...thePointer, revision: { $eq: before.revision }, ...isOurs };
    return (await pointers.updateOne(filter, { $set: pointer }, { ...timeoutOptions(callMs) })).matchedCount === 1;
  };

  const claim = async (installation: string): Promise<Pointer> => {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const pointer = await stored();
      if (pointer?.installation !== undefined) return pointer;
      if (pointer) await pointers.updateOne(unclaimed, { $set: { installation } }, { ...timeoutOptions(callMs) });
      else await insert(pointers, { ...noPointer, installation });
    }
    throw new ReadModelsUnavailable('Other processes keep changing the installation of the database.');
  };

  const takeOver = async (ours: string, other: string): Promise<boolean> => {
    const filter: Filter<PointerRow> = { ...thePointer, installation: { $eq: other } };
    const change = { $set: { ...nothingRead, installation: ours, emptying: other }, $inc: { revision: 1 } };
    if ((await pointers.updateOne(filter, change, { ...timeoutOptions(callMs) })).matchedCount === 1) return true;
    const { installation, emptying } = (await stored()) ?? {};
    return installation === ours && emptying === other;
  };

  return {
    pointer: (): Promise<Pointer | undefined> => orUnavailable(stored),
    /** Returns false where the pointer has changed, or is another installation's. */
    putPointer: (before: Pointer | undefined, pointer: Omit<Pointer, 'installation'>) => orUnavailable(() => putPointer(before, pointer)),
    /** Names the installation of the read models, unless one is named.
     * @returns the pointer, with the installation that it names */
    claim: (installation: string): Promise<Pointer> => orUnavailable(() => claim(installation)),
    /** Replaces one installation with another, and withdraws the live generation. Returns false where neither this nor its repetition is
     * possible. */
    takeOver: (ours: string, other: string): Promise<boolean> => orUnavailable(() => takeOver(ours, other)),
    /** Marks the removal of another installation as finished. Returns false where it was finished already, or where the database is not
     * this installation's. */
    begins: async (ours: string, other: string, at: TransactionContext): Promise<boolean> => {
      const filter: Filter<PointerRow> = { ...thePointer, installation: { $eq: ours }, emptying: { $eq: other } };
      return (await pointers.updateOne(filter, { $unset: { emptying: true } }, { ...at })).matchedCount === 1;
    },
  };
};
