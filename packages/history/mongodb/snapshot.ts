import type { TransactionContext } from '@waymark/read-models/mongodb/transactions.ts';
import { ReadModelsUnavailable } from '@waymark/read-models/read-models.ts';
import type { Collection, Filter, FindOptions } from 'mongodb';
import { type Collections, hasMarker, markerId, type Read, type ReadCollections, type ReadRows } from './collections.ts';

/** The rows of a history at one position. */
export type Snapshot = {
  /** Runs a query. Queries of one snapshot run one after the other. */
  readonly find: Find;
  /** Returns the rows with some ids. */
  readonly findByIds: FindByIds;
  /** Checks that the collections that were read existed: what a dropped one lacks is not missing in the history. Entries are dropped first, so
   * their marker, if it is read last, shows it for all.
   * @throws ReadModelsUnavailable */
  readonly check: () => Promise<void>;
  /** Refuses further queries, and waits for the one in progress: the next transaction of the session must not meet it. */
  readonly end: () => Promise<void>;
};

type Find = <Name extends Read>(name: Name, filter: Filter<ReadRows[Name]>, options: FindOptions) => Promise<readonly ReadRows[Name][]>;

/** The collections whose rows have texts as ids. */
type Identified = 'entry' | 'state' | 'mark';

type FindByIds = <Name extends Identified>(
  name: Name,
  ids: readonly string[],
  options?: Pick<FindOptions, 'projection'>,
) => Promise<readonly ReadRows[Name][]>;

export const openSnapshot = (collections: Collections, at: TransactionContext): Snapshot => {
  const readable: ReadCollections = collections;
  let isChecked = true;
  let last: Promise<unknown> = Promise.resolve();
  let isOpen = true;
  const inTurn = <Value>(run: () => Promise<Value>): Promise<Value> => {
    const turn = last.then(() => {
      if (!isOpen) throw new ReadModelsUnavailable('The read of the history has ended.');
      return run();
    });
    last = turn.catch(() => undefined);
    return turn;
  };
  const find = <Name extends Read>(name: Name, filter: Filter<ReadRows[Name]>, options: FindOptions) =>
    inTurn(async () => {
      const rows = await rowsOf<ReadRows[Name]>(readable[name], filter, { ...options, ...at });
      isChecked = name === 'entry' && rows.some((row) => '_id' in row && row._id === markerId);
      return rows;
    });
  const findByIds = async <Name extends Identified>(name: Name, ids: readonly string[], options: FindOptions = {}) => {
    // The marker of the entries is part of the same query.
    const wanted = name === 'entry' ? [markerId, ...ids] : ids;
    const filter = { _id: { $in: wanted } } as Filter<ReadRows[Name]>;
    const rows = await find(name, filter, { ...options, batchSize: wanted.length + 1 });
    return rows.filter(({ _id }) => _id !== markerId);
  };
  return {
    find,
    findByIds,
    check: () =>
      inTurn(async () => {
        if (!isChecked && !(await hasMarker(collections, at)))
          throw new ReadModelsUnavailable('The history has no position yet, or was dropped.');
      }),
    end: async () => {
      isOpen = false;
      await last;
    },
  };
};

const rowsOf = <Row extends object>(collection: Collection<Row>, filter: Filter<Row>, options: FindOptions): Promise<Row[]> =>
  collection.find<Row>(filter, options).toArray();
