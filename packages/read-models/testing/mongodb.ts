import { ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import type { MongoClient } from 'mongodb';
import { createMongoClient } from '../mongodb/client.ts';
import { collectionsOf } from '../mongodb/collections.ts';
import { rowsAtOnce } from '../mongodb/generations/digest.ts';
import { type Generation, type MongoReadSide, openMongoReadSide } from '../mongodb/read-side.ts';
import { digestedRows } from '../mongodb/rows.ts';
import type { ReadModelsUnderTest } from './subject.ts';

/** A separate database for the tests of a `describe`, dropped after them. */
export type OwnDatabase = {
  readonly name: string;
  readonly readSide: () => MongoReadSide;
  /** Another client, to inspect the database and to cause faults. */
  readonly client: () => MongoClient;
  /** Returns a generation that was begun, without a position. */
  readonly fresh: () => Promise<Generation>;
  readonly rows: (generation: string) => Promise<readonly string[]>;
};

export const ownDatabase = (options: { readonly version?: number } = {}): OwnDatabase => {
  const name = ownName('read-models');
  let readSide: MongoReadSide;
  let client: MongoClient;
  beforeAll(async () => {
    readSide = openMongoReadSide({ url: urlOf('mongodb'), database: name, ...options });
    client = createMongoClient({ url: urlOf('mongodb') }, { monitorCommands: true });
    await readSide.ensure();
  });
  afterAll(async () => {
    await client.db(name).dropDatabase();
    await Promise.all([readSide.close(), client.close()]);
  });
  return {
    name,
    readSide: () => readSide,
    client: () => client,
    fresh: async () => {
      const begun = await readSide.generations.begin();
      // Otherwise the next call would return the same generation.
      await client
        .db(name)
        .collection<{ readonly _id: string }>('generations')
        .updateOne({ _id: begun }, { $set: { state: 'live' } });
      return readSide.generation(begun);
    },
    rows: async (generation) => {
      const rows: string[] = [];
      await rowsAtOnce(client, digestedRows(collectionsOf(client.db(name), generation)), (row) => rows.push(row));
      return rows;
    },
  };
};

/** Returns read models as the contract requires them. */
export const underTest = async (database: OwnDatabase): Promise<ReadModelsUnderTest> => {
  const { name, models } = await database.fresh();
  return {
    ...models,
    dump: () => database.rows(name),
    close: () => database.readSide().generations.retire(name),
  };
};

/** Drops a database, like an operator who takes it for unused. */
export const wipe = async (database: string): Promise<void> => {
  const client = createMongoClient({ url: urlOf('mongodb') });
  await client.db(database).dropDatabase();
  await client.close();
};
