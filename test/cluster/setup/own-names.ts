import { ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import { type Collection, MongoClient } from 'mongodb';
import { until } from './until.ts';

const keysAtOnce = 1_000;
const emptyWithinMs = 300_000;
/** How long one check repeats a delete that conflicts with writes. */
const conflictsMs = 10_000;
/** What the names of the history's collections begin with. */
const historyPrefix = 'history.';

/** The names that a cluster uses on engines that it shares with others. */
export type Own = { readonly database: string; readonly topic: string; readonly prefix: string };

export const newOwn = (): Own => {
  const name = ownName('cluster');
  return { database: name, topic: name, prefix: name };
};

/** Removes what a stopped cluster has on Kafka, MongoDB and Redis. The log and the files are shared, so they stay. */
export const removeOwn = async (own: Own): Promise<void> => {
  await Promise.all([dropDatabase(own), deleteTopic(own), deleteKeys(own)]);
};

export const dropDatabase = async ({ database }: Pick<Own, 'database'>): Promise<void> => {
  const client = new MongoClient(urlOf('mongodb'));
  try {
    await client.db(database).dropDatabase();
  } finally {
    await client.close();
  }
};

/** Deletes all documents: those of the read models at once, then those of the history. An open transaction may delay a drop indefinitely, but
 * does not delay a delete. A concurrent write conflicts with the delete, which is then repeated at once: under load, a projector pauses for
 * milliseconds only. Positions are deleted first: a process that moves one does not conflict for long.
 * @param kept the collections that stay */
export const emptyDatabase = async (own: Own, kept: readonly string[] = []): Promise<void> => {
  await withCollections(own, async (client, all) => {
    const wanted = all.filter(({ collectionName }) => !kept.includes(collectionName) && !isOfHistory(collectionName));
    await until('the read models are empty', emptyWithinMs, () => emptied(client, wanted));
  });
  await emptyHistory(own);
};

/** Deletes everything of the history in a cluster's database, one collection after the other: the history has so many rows that a transaction
 * of them all would nearly always conflict with a projector. Once the positions are gone, no projector writes to these collections. */
export const emptyHistory = (own: Own): Promise<void> =>
  withCollections(own, async (_, all) => {
    for (const collection of positionsFirst(all.filter(({ collectionName }) => isOfHistory(collectionName))))
      await collection.deleteMany({});
  });

const isOfHistory = (name: string): boolean => name.startsWith(historyPrefix);

const withCollections = async (
  { database }: Own,
  use: (client: MongoClient, all: readonly Collection[]) => Promise<void>,
): Promise<void> => {
  const client = new MongoClient(urlOf('mongodb'));
  try {
    await use(client, await client.db(database).collections());
  } finally {
    await client.close();
  }
};

const positionsFirst = (collections: readonly Collection[]): readonly Collection[] =>
  collections.toSorted((a, b) => Number(isPositions(b)) - Number(isPositions(a)));

/** Deletes the documents of collections in one transaction, and begins again at once after each conflict, for as long as a check may take. */
const emptied = async (client: MongoClient, collections: readonly Collection[]): Promise<boolean> => {
  const untilMs = performance.now() + conflictsMs;
  for (;;) {
    const session = client.startSession();
    try {
      session.startTransaction();
      for (const collection of positionsFirst(collections)) await collection.deleteMany({}, { session });
      await session.commitTransaction();
      return true;
    } catch (error) {
      if (performance.now() > untilMs) throw error;
    } finally {
      await session.endSession();
    }
  }
};

const isPositions = ({ collectionName }: Collection): boolean => collectionName.endsWith('.position');

/** Deletes the topic and the consumer groups that read it. */
export const deleteTopic = async ({ topic, database }: Own): Promise<void> => {
  const admin = new Kafka({ brokers: urlOf('kafka').split(','), logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const { groups } = await admin.listGroups();
    const own = groups.map(({ groupId }) => groupId).filter((group) => group.startsWith(`${database}-`));
    await admin.deleteGroups(own).catch(() => undefined);
    await admin.deleteTopics({ topics: [topic] }).catch(() => undefined);
  } finally {
    await admin.disconnect();
  }
};

export const deleteKeys = async ({ prefix }: Own): Promise<void> => {
  const redis = new Redis(urlOf('redis'));
  try {
    for (let cursor = '0'; ; ) {
      const [next, keys] = await redis.scan(cursor, 'MATCH', `${prefix}*`, 'COUNT', keysAtOnce);
      if (keys.length > 0) await redis.del(keys);
      if (next === '0') return;
      cursor = next;
    }
  } finally {
    redis.disconnect();
  }
};
