import { randomBytes } from 'node:crypto';
import type { Collection } from 'mongodb';
import { ReadModelsUnavailable } from '../../read-models.ts';
import { isDuplicate, timeoutOptions } from '../client.ts';
import { callMs } from '../limits.ts';
import type { Namespace } from '../namespace.ts';
import type { Compared } from './compare.ts';

export type GenerationState = 'filling' | 'live' | 'retired';

/** The result of comparing a generation with the one that it replaces. */
export type Comparison = Compared & { readonly with: string };

/** Stored: never rename a field. */
export type GenerationRow = {
  readonly _id: string;
  readonly version: number;
  readonly serial: number;
  readonly state: GenerationState;
  /** Whether it has a position. */
  readonly begun: boolean;
  /** The comparison with the generation that was live before it. */
  readonly compared?: StoredComparison;
};

/** Stored: never rename a field. */
type StoredComparison = {
  readonly with: string;
  readonly outcome: 'equal' | 'different' | 'undecided';
  readonly rows: number;
  readonly different: number;
  readonly examples: readonly string[];
};

export const toStoredComparison = (comparison: Comparison): StoredComparison => ({
  with: comparison.with,
  outcome: comparison.outcome,
  rows: comparison.rows,
  different: comparison.different,
  examples: comparison.examples,
});

export const fromStoredComparison = (stored: StoredComparison): Comparison => ({
  with: stored.with,
  outcome: stored.outcome,
  rows: stored.rows,
  different: stored.different,
  examples: stored.examples,
});

/** `_id`: the version of the projection. Stored: never rename a field. */
type FillingRow = { readonly _id: number; readonly name: string };

/** Returns a name that is never used twice, even if everything was wiped in between: data read from one generation can never be taken for
 * another's. */
const nameOf = (version: number): string => `${version}-${randomBytes(8).toString('hex')}`;

export const versionOf = (generation: string): number => Number(generation.split('-')[0]);

const triesMax = 5;

/** Creates the registry, which allows one generation in state `filling` for each version. A process that begins one claims the version's
 * row, or finds the one of the process that did. */
export const createGenerationRegistry = (namespace: Namespace, generations: Collection<GenerationRow>) => {
  const fillings: Collection<FillingRow> = namespace.collection('fillings');

  const claimedName = async (version: number): Promise<string> => {
    const name = nameOf(version);
    try {
      await fillings.insertOne({ _id: version, name }, { ...timeoutOptions(callMs) });
      return name;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
    return (await fillings.findOne({ _id: { $eq: version } }, timeoutOptions(callMs)))?.name ?? name;
  };

  /** The serial is at least the current time, which is above every earlier serial, even those that were wiped. */
  const insert = async (name: string, version: number): Promise<void> => {
    const [last] = await generations.find({}, { sort: { serial: -1 }, limit: 1, ...timeoutOptions(callMs) }).toArray();
    const serial = Math.max((last?.serial ?? 0) + 1, Date.now());
    try {
      await generations.insertOne({ _id: name, version, serial, state: 'filling', begun: false }, { ...timeoutOptions(callMs) });
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
  };

  const release = async (name: string): Promise<void> => {
    await fillings.deleteOne({ _id: { $eq: versionOf(name) }, name: { $eq: name } }, { ...timeoutOptions(callMs) });
  };

  const begin = async (version: number): Promise<string> => {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const name = await claimedName(version);
      await insert(name, version);
      const generation = await generations.findOne({ _id: { $eq: name } }, timeoutOptions(callMs));
      if (generation?.state === 'filling') return name;
      await release(name);
    }
    throw new ReadModelsUnavailable('Other processes keep beginning generations.');
  };
  return { begin, release };
};
