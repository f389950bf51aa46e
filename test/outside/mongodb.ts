import { urlOf } from '@waymark/test-engines/test-engines.ts';
import { Binary, type Db, MongoClient } from 'mongodb';
import { distinct, type Masked, type Masking } from './masked.ts';

/** Returns every collection of a database, with its indexes and documents. */
export const collectionsOf = (database: string, masking: Masking): Promise<Readonly<Record<string, Masked>>> =>
  inDatabase(database, async (db) => {
    const names = await namesIn(db);
    const collections = await Promise.all(names.map(async (name) => [masking.text(name), await collectionOf(db, name, masking)] as const));
    return Object.fromEntries(collections);
  });

/** Returns whether the proof store has the last event of the history. */
export const areProofsComplete = (database: string): Promise<boolean> =>
  inDatabase(database, async (db) => {
    const entries = (await namesIn(db)).filter((name) => /^history\..*\.entry$/.test(name));
    const last = entries.map((name) => db.collection<{ position: number }>(name).findOne({}, { sort: { position: -1 } }));
    const positions = (await Promise.all(last)).map((entry) => entry?.position ?? 0);
    const proven = await db.collection<{ position: number }>('proof.position').findOne();
    return proven?.position === Math.max(...positions);
  });

const inDatabase = async <Result>(database: string, use: (db: Db) => Promise<Result>): Promise<Result> => {
  const client = new MongoClient(urlOf('mongodb'));
  try {
    return await use(client.db(database));
  } finally {
    await client.close();
  }
};

const namesIn = async (db: Db): Promise<readonly string[]> => (await db.listCollections().toArray()).map(({ name }) => name).sort();

/** Returns the indexes and documents of a collection. Documents that are equal after masking are returned once. */
const collectionOf = async (db: Db, name: string, masking: Masking): Promise<Masked> => {
  const indexes = await db.collection(name).indexes();
  const documents = await db.collection(name).find().sort({ _id: 1 }).toArray();
  return {
    indexes: indexes.map(({ name: called, key, unique = false }) => ({ name: `${called}`, key: key as Record<string, number>, unique })),
    documents: distinct(documents.map((document) => documentOf(document, masking))),
  };
};

const documentOf = (document: object, masking: Masking): Masked =>
  Object.fromEntries(Object.entries(document).map(([field, value]) => [field, fieldOf(field, value, masking)]));

const fieldOf = (field: string, value: unknown, masking: Masking): Masked => {
  if (value instanceof Binary) return '<bytes>';
  return typeof value === 'string' ? masking.stored(value) : masking.value(JSON.parse(JSON.stringify(value)), field);
};
