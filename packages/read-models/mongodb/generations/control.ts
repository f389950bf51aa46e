import type { Collection } from 'mongodb';
import { ReadModelsUnavailable } from '../../read-models.ts';
import { orUnavailable, timeoutOptions } from '../client.ts';
import { callMs, generationsMax } from '../limits.ts';
import type { Namespace } from '../namespace.ts';
import type { TransactionContext } from '../transactions.ts';
import { createPointers, type Pointer } from './pointer.ts';
import { createHeartbeats, createReaders } from './readers.ts';
import {
  type Comparison,
  createGenerationRegistry,
  fromStoredComparison,
  type GenerationRow,
  type GenerationState,
  toStoredComparison,
  versionOf,
} from './registry.ts';

/** An entry of the control collections. Every change of the pointer is a compare-and-set. */

export type GenerationEntry = {
  readonly name: string;
  /** The version of the projection that fills it. */
  readonly version: number;
  /** A number that rises with each new generation, even if everything was lost in between. */
  readonly serial: number;
  /** `live`: it is, was, or is about to be read, and must be fed. `retired`: its collections are being dropped. */
  readonly state: GenerationState;
  /** The comparison with the generation of the same version that it replaces; undefined before that, and where there was none. */
  readonly compared?: Comparison;
};

export type Control = ReturnType<typeof createControl>;

/** Returns the generation that readers of this version use, if there is one. */
export const readBy = (version: number, { read, still }: Pointer): string | undefined =>
  [...still, ...(read === null ? [] : [read])].findLast((name) => versionOf(name) === version);

const named = (name: string) => ({ _id: { $eq: name } });

const firstCompared = async (
  generations: Collection<GenerationRow>,
  name: string,
  compared: Comparison,
): Promise<Comparison | undefined> => {
  await generations.updateOne(
    { ...named(name), compared: { $exists: false } },
    { $set: { compared: toStoredComparison(compared) } },
    { ...timeoutOptions(callMs) },
  );
  const stored = (await generations.findOne(named(name), timeoutOptions(callMs)))?.compared;
  return stored && fromStoredComparison(stored);
};

const entryOf = ({ _id: name, version, serial, state, compared }: GenerationRow): GenerationEntry => ({
  name,
  version,
  serial,
  state,
  ...(compared && { compared: fromStoredComparison(compared) }),
});

const usable: GenerationState[] = ['filling', 'live'];

const ensure = async ({ db }: Namespace): Promise<void> => {
  const { setName } = await db.admin().command({ hello: 1 }, timeoutOptions(callMs));
  if (typeof setName !== 'string')
    throw new Error('MongoDB must be a replica set (one member is enough), because the read models need transactions.');
};

/** @param ownInstallation the installation of the process, once it is known. Then the process does not move the pointer of another one. */
export const createControl = (namespace: Namespace, ownInstallation: () => string | undefined = () => undefined) => {
  const generations: Collection<GenerationRow> = namespace.collection('generations');
  const filling = createGenerationRegistry(namespace, generations);
  const setState = async (name: string, state: GenerationState): Promise<boolean> => {
    await filling.release(name);
    // A generation that is being dropped does not become usable again.
    const filter = state === 'retired' ? named(name) : { ...named(name), state: { $in: usable } };
    return (await generations.updateOne(filter, { $set: { state } }, { ...timeoutOptions(callMs) })).matchedCount === 1;
  };

  return {
    ensure: () => orUnavailable(() => ensure(namespace)),
    ...createPointers(namespace, ownInstallation),
    list: (): Promise<readonly GenerationEntry[]> =>
      orUnavailable(async () => {
        const rows = await generations.find({}, { sort: { serial: 1 }, limit: generationsMax, ...timeoutOptions(callMs) }).toArray();
        return rows.map(entryOf);
      }),
    /** Returns the generation that is being filled for this version, at most one; begins one where there is none. */
    filling: (version: number) => orUnavailable(() => filling.begin(version)),
    /** Returns false where the generation is unknown or is being dropped. */
    setState: (name: string, state: GenerationState) => orUnavailable(() => setState(name, state)),
    /** Stores a comparison unless there is one. Returns the stored one. */
    setCompared: (name: string, compared: Comparison) => orUnavailable(() => firstCompared(generations, name, compared)),
    forget: (name: string) => orUnavailable(async () => void (await generations.deleteOne(named(name), { ...timeoutOptions(callMs) }))),
    /** Marks a generation as begun. One that was dropped, or wiped with everything else, is never begun again. */
    begin: async (name: string, at: TransactionContext): Promise<void> => {
      const filter = { ...named(name), state: { $in: usable } };
      const { matchedCount } = await generations.updateOne(filter, { $set: { begun: true } }, { ...at });
      if (matchedCount !== 1) throw new ReadModelsUnavailable(`There is no generation ${name} to fill.`);
    },
    readers: createReaders(namespace),
    beats: createHeartbeats(namespace),
  };
};
