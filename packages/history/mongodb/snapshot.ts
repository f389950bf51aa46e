import type { TransactionContext } from '@waymark/read-models/mongodb/transactions.ts';
import { ReadModelsUnavailable } from '@waymark/read-models/read-models.ts';
import type { Collection, Filter, FindOptions } from 'mongodb';
import { type Collections, hasMarker, type Read, type ReadCollections, type ReadRows } from './collections.ts';

/** The rows of a history at one position. */
export type Snapshot = {
  /** Runs a query. Queries of one snapshot run one after the other. */
  readonly find: Find;
  /** Checks that the collections that were read exist: what a dropped one lacks is not missing in the history.
   * @throws ReadModelsUnavailable */
  readonly check: () => Promise<void>;
};

type Find = <Name extends Read>(name: Name, filter: Filter<ReadRows[Name]>, options: FindOptions) => Promise<readonly ReadRows[Name][]>;

export const openSnapshot = (collections: Collections, at: TransactionContext): Snapshot => {
  const readable: ReadCollections = collections;
  const used = new Set<Read>();
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Value>(run: () => Promise<Value>): Promise<Value> => {
    const turn = last.then(run);
    last = turn.catch(() => undefined);
    return turn;
  };
  const find = <Name extends Read>(name: Name, filter: Filter<ReadRows[Name]>, options: FindOptions) => {
    used.add(name);
    return inTurn(() => rowsOf<ReadRows[Name]>(readable[name], filter, { ...options, ...at }));
  };
  return {
    find,
    check: () =>
      inTurn(async () => {
        for (const name of used)
          if (!(await hasMarker(collections, name, at)))
            throw new ReadModelsUnavailable('The history has no position yet, or was dropped.');
      }),
  };
};

const rowsOf = <Row extends object>(collection: Collection<Row>, filter: Filter<Row>, options: FindOptions): Promise<Row[]> =>
  collection.find<Row>(filter, options).toArray();
