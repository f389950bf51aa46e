import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { urlOf } from '@waymark/test-engines/test-engines.ts';
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import { MongoClient } from 'mongodb';
import { withLog } from '../history/facts.ts';
import type { Cluster } from './cluster.ts';
import type { Own } from './own-names.ts';
import { until } from './until.ts';

const withinMs = 300_000;

/** Writes everything that a cluster keeps on its engines into a directory, one file for each engine, as a client can see it. */
export const dumpInto = async (directory: string, { own, logBefore }: Pick<Cluster, 'own' | 'logBefore'>): Promise<void> => {
  mkdirSync(directory, { recursive: true });
  const dumps = { eventstore: logAfter(logBefore), mongodb: databaseOf(own), redis: keysOf(own), kafka: recordsOf(own) };
  for (const [engine, dump] of Object.entries(dumps)) writeFileSync(join(directory, engine), await dump);
};

/** Returns every event of every stream, including housekeeping events. */
const logAfter = (position: number): Promise<string> =>
  withLog(async (log) => {
    const { head } = await log.state();
    const lines: string[] = [];
    const done = new AbortController();
    if (head <= position) return '';
    await log.subscribe(
      position,
      async (events) => {
        lines.push(...events.map((event) => JSON.stringify(event)));
        if (events.some((event) => event.position >= head)) done.abort();
      },
      done.signal,
    );
    return lines.join('\n');
  });

const databaseOf = async ({ database }: Own): Promise<string> => {
  const client = new MongoClient(urlOf('mongodb'));
  try {
    const db = client.db(database);
    const names = (await db.listCollections().toArray()).map(({ name }) => name);
    const documents = await Promise.all(names.map((name) => db.collection(name).find().toArray()));
    return documents.map((some, nth) => `${names[nth]} ${JSON.stringify(some)}`).join('\n');
  } finally {
    await client.close();
  }
};

const keysOf = async ({ prefix }: Own): Promise<string> => {
  const redis = new Redis(urlOf('redis'));
  try {
    const keys = await redis.keys(`${prefix}*`);
    // `DUMP` works for a key of any type.
    const values = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
    return keys.map((key, nth) => `${key} ${values[nth]?.toString('latin1')}`).join('\n');
  } finally {
    redis.disconnect();
  }
};

const recordsOf = async ({ topic, prefix }: Own): Promise<string> => {
  const kafka = new Kafka({ brokers: urlOf('kafka').split(','), logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  const consumer = kafka.consumer({ groupId: `${prefix}-dump` });
  const lines: string[] = [];
  const reached = new Map<number, number>();
  try {
    await Promise.all([admin.connect(), consumer.connect()]);
    const ends = await admin.fetchTopicOffsets(topic);
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ partition, message }) => {
        lines.push(`${message.key} ${message.value}`);
        reached.set(partition, Number(message.offset) + 1);
      },
    });
    await until('all records are read', withinMs, () =>
      ends.every(({ partition, low, high }) => low === high || (reached.get(partition) ?? 0) >= Number(high)),
    );
    return lines.join('\n');
  } finally {
    await consumer.disconnect();
    await admin.disconnect();
  }
};
