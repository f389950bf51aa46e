import { ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import { MongoClient } from 'mongodb';

const keysAtOnce = 1_000;

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
