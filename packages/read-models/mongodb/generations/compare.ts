import { setTimeout as pause } from 'node:timers/promises';
import { partitionOf } from '@waymark/domain/partitions.ts';
import { orUnavailable, timeoutOptions } from '../client.ts';
import type { Collections } from '../collections.ts';
import { mongoPositions } from '../find.ts';
import { comparedTogether, comparePauseMs, compareTriesMax, differencesMax, digestMs, examplesMax, suspectsTogether } from '../limits.ts';
import { accountsOf, type Key, keyOf, order, rowsOfKeys, textOf } from '../row-keys.ts';
import { type Row, rowsOf } from '../rows.ts';

/** The result of comparing two generations of one projection version. At equal positions they must have equal content. */
export type Compared = {
  /** `undecided`: some rows were never read while both were at the same position. */
  readonly outcome: 'equal' | 'different' | 'undecided';
  /** The number of rows that were compared. */
  readonly rows: number;
  readonly different: number;
  /** Names of some different rows. */
  readonly examples: readonly string[];
};

type Pair = readonly [Collections, Collections];

/** Compares two generations row by row while both are fed. Rows that differ at first are read again until both generations are at the same
 * position in the rows' partition, before and after the read.
 * @throws ReadModelsUnavailable */
export const createCompare = (pair: Pair, partitions: number): Promise<Compared> =>
  orUnavailable(async () => {
    const { rows, suspects } = await findSuspects(pair);
    const different: Key[] = [];
    let isOpen = false;
    for (const [partition, keys] of await byPartition(pair, suspects, partitions)) {
      for (let from = 0; from < keys.length; from += suspectsTogether) {
        const verdict = await recheckSuspects(pair, keys.slice(from, from + suspectsTogether), { partition, partitions });
        if (verdict === undefined) isOpen = true;
        else different.push(...verdict);
      }
    }
    const outcome = different.length > 0 ? 'different' : isOpen ? 'undecided' : 'equal';
    return { outcome, rows, different: different.length, examples: different.slice(0, examplesMax).map(textOf) };
  });

/** Finds rows that are missing or different in one generation, up to `differencesMax`. */
const findSuspects = async ([one, other]: Pair): Promise<{ readonly rows: number; readonly suspects: readonly Key[] }> => {
  const at = { batchSize: comparedTogether, ...timeoutOptions(digestMs) };
  const [left, right] = [rowsOf(one, at), rowsOf(other, at)];
  const suspects: Key[] = [];
  let rows = 0;
  try {
    let [a, b] = await Promise.all([nextOf(left), nextOf(right)]);
    while ((a !== undefined || b !== undefined) && suspects.length < differencesMax) {
      rows += 1;
      const which = a === undefined ? 1 : b === undefined ? -1 : order(keyOf(a), keyOf(b));
      const row = (which > 0 ? b : a) as Row;
      if (which !== 0 || JSON.stringify(a) !== JSON.stringify(b)) suspects.push(keyOf(row));
      [a, b] = await Promise.all([which <= 0 ? nextOf(left) : a, which >= 0 ? nextOf(right) : b]);
    }
  } finally {
    await Promise.allSettled([left.return(undefined), right.return(undefined)]);
  }
  return { rows, suspects };
};

const nextOf = async (rows: AsyncGenerator<Row>): Promise<Row | undefined> => {
  const { value, done } = await rows.next();
  return done ? undefined : value;
};

/** Undefined where the account is not found. Then the positions of all partitions must be equal. */
type Partition = number | undefined;

const byPartition = async (pair: Pair, suspects: readonly Key[], partitions: number): Promise<ReadonlyMap<Partition, readonly Key[]>> => {
  const accounts = await accountsOf(pair, suspects);
  return Map.groupBy(suspects, (key): Partition => {
    const account = accounts.get(textOf(key));
    return account === undefined ? undefined : partitionOf(account, partitions);
  });
};

type ComparedPartition = { readonly partition: Partition; readonly partitions: number };

/** Returns the keys that differ while both generations are at the same position; undefined where they never were for long enough. */
const recheckSuspects = async (pair: Pair, keys: readonly Key[], place: ComparedPartition): Promise<readonly Key[] | undefined> => {
  for (let tries = 0; tries < compareTriesMax; tries += 1) {
    const before = await positionsOf(pair, place);
    if (before !== undefined) {
      const [one, other] = await Promise.all([rowsOfKeys(pair[0], keys), rowsOfKeys(pair[1], keys)]);
      if (before === (await positionsOf(pair, place))) return keys.filter((key) => one.get(textOf(key)) !== other.get(textOf(key)));
    }
    await pause(comparePauseMs);
  }
  return undefined;
};

/** Returns the position of both generations; undefined where they are at different positions. */
const positionsOf = async (pair: Pair, { partition, partitions }: ComparedPartition): Promise<string | undefined> => {
  const [one, other] = await Promise.all(
    pair.map(async (collections) => {
      const positions = await mongoPositions(collections, partitions);
      return JSON.stringify(partition === undefined ? positions : positions[partition]);
    }),
  );
  return one === other ? one : undefined;
};
