import { urlOf } from '@waymark/test-engines/test-engines.ts';
import { Binary, type Db, MongoClient } from 'mongodb';
import { distinct, type Masked, type Masking } from './masked.ts';

/** Returns every collection of a database, with its indexes and documents. */
export const collectionsOf = async (database: string, masking: Masking): Promise<Readonly<Record<string, Masked>>> => {
  const client = new MongoClient(urlOf('mongodb'));
  try {
    const db = client.db(database);
    const names = (await db.listCollections().toArray()).map(({ name }) => name).sort();
    const collections = await Promise.all(names.map(async (name) => [masking.text(name), await collectionOf(db, name, masking)] as const));
    return Object.fromEntries(collections);
  } finally {
    await client.close();
  }
};

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
