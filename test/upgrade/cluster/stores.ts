import { control } from '@waymark/test-engines/control.ts';
import { urlOf } from '@waymark/test-engines/test-engines.ts';
import { BSON, MongoClient } from 'mongodb';
import { type ClusterArchive, packed, unpack } from '../archive.ts';

/** The database of a cluster's files, as a media URL. */
export const gridFs = (database: string): string => urlOf('mongodb').replace(/^(mongodb:\/\/[^/]+)\/?/, `gridfs+$1/${database}`);

/** What a stopped cluster has on the event store and in GridFS. The event store is stopped for it, and started again. */
export const packStores = async (mediaDatabase: string): Promise<Pick<ClusterArchive, 'eventStore' | 'media'>> => {
  // The event store cuts off the room that it has not used at its start.
  for (const action of ['stop', 'start', 'stop'] as const) await control(action, 'eventstore');
  const eventStore = packed(urlOf('eventstoreFiles'));
  await control('start', 'eventstore');
  return { eventStore, media: await withDatabase(mediaDatabase, documentsOf) };
};

/** Puts what an archive holds on the event store, which loses all else, and into GridFS. */
export const unpackStores = async ({ eventStore, media }: ClusterArchive, mediaDatabase: string): Promise<void> => {
  await control('wipe', 'eventstore');
  unpack(eventStore, urlOf('eventstoreFiles'));
  await control('start', 'eventstore');
  await withDatabase(mediaDatabase, async (database) => {
    for (const [name, documents] of Object.entries(media))
      if (documents.length > 0) await database.collection(name).insertMany(documents.map((one) => BSON.EJSON.parse(one)));
  });
};

const withDatabase = async <Result>(name: string, use: (database: ReturnType<MongoClient['db']>) => Promise<Result>): Promise<Result> => {
  const client = new MongoClient(urlOf('mongodb'));
  try {
    return await use(client.db(name));
  } finally {
    await client.close();
  }
};

const documentsOf = async (database: ReturnType<MongoClient['db']>): Promise<ClusterArchive['media']> => {
  const collections = await database.collections();
  const contents = collections.map(async (one) => {
    const documents = await one.find({}, { promoteValues: false }).toArray();
    return [one.collectionName, documents.map((document) => BSON.EJSON.stringify(document, { relaxed: false }))] as const;
  });
  return Object.fromEntries(await Promise.all(contents));
};
