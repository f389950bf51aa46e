import { createMongoClient } from '@waymark/read-models/mongodb/client.ts';
import { namespaceIn } from '@waymark/read-models/mongodb/namespace.ts';
import { ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import type { MongoClient } from 'mongodb';
import { type Collections, goesOn, historyCollections } from '../mongodb/collections.ts';
import { type MongoHistory, openMongoHistory } from '../mongodb/history.ts';
import type { HistoryUnderTest } from './subject.ts';

/** A separate database for the tests of a `describe`, dropped after them. */
export type OwnHistory = {
  readonly name: string;
  readonly history: () => MongoHistory;
  /** Another client, to inspect the database and to cause faults. */
  readonly client: () => MongoClient;
  /** Returns the name of a generation that was begun, without a position. */
  readonly fresh: () => Promise<string>;
  readonly collections: (generation: string) => Collections;
  readonly underTest: () => Promise<HistoryUnderTest>;
};

export const ownHistory = (): OwnHistory => {
  const database = ownName('history');
  let history: MongoHistory;
  let client: MongoClient;
  beforeAll(async () => {
    history = openMongoHistory({ url: urlOf('mongodb'), database });
    client = createMongoClient({ url: urlOf('mongodb') }, { monitorCommands: true });
    await history.ensure();
  });
  afterAll(async () => {
    await client.db(database).dropDatabase();
    await Promise.all([history.close(), client.close()]);
  });
  const collections = (generation: string) => historyCollections(namespaceIn(client.db(database), 'history.'), generation);
  const fresh = async () => {
    const begun = await history.generations.begin();
    // Otherwise the next call would return the same generation.
    await client
      .db(database)
      .collection<{ readonly _id: string }>('history.generations')
      .updateOne({ _id: begun }, { $set: { state: 'live' } });
    return begun;
  };
  return {
    name: database,
    history: () => history,
    client: () => client,
    fresh,
    collections,
    underTest: async () => {
      const name = await fresh();
      return {
        ...history.generation(name).history,
        dump: () => dump(collections(name)),
        close: () => history.generations.retire(name),
      };
    },
  };
};

/** Returns all rows as JSON texts, in the order of their keys, except the positions and the progress of cleaning. */
const dump = async ({ entry, state, interval, member, relation, mark }: Collections): Promise<readonly string[]> => {
  const rows: string[] = [];
  const add = (name: string, all: readonly object[]) => rows.push(...all.map((row) => JSON.stringify([name, row])));
  const none = { _id: 0 } as const;
  add('entry', await entry.find({ _id: { $gt: '' } }, { sort: { position: 1 } }).toArray());
  add('state', await state.find({ _id: { $gt: '' } }, { sort: { _id: 1 } }).toArray());
  const intervals = await interval.find({ within: { $gt: '' } }, { projection: none, sort: { within: 1, item: 1, since: 1 } }).toArray();
  add(
    'interval',
    intervals.map((row) => ({ ...row, until: row.until === goesOn ? null : row.until })),
  );
  add('member', await member.find({}, { sort: { _id: 1 } }).toArray());
  add('relation', await relation.find({ stream: { $gt: '' } }, { projection: none, sort: { stream: 1, position: 1 } }).toArray());
  add('mark', await mark.find({ _id: { $gt: '' } }, { projection: { clean: 0 }, sort: { _id: 1 } }).toArray());
  return rows;
};
