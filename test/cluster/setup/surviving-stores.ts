import { emptyDatabase } from '@waymark/read-models/testing/empty-database.ts';
import { createSigner } from '@waymark/signing/signer.ts';
import { ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { Redis } from 'ioredis';
import { Kafka, type KafkaMessage, logLevel, Partitioners } from 'kafkajs';
import { MongoClient } from 'mongodb';
import { deleteKeys, deleteTopic, type Own } from './own-names.ts';

type Signer = ReturnType<typeof createSigner>;

/** A store that keeps its facts when all other stores lose theirs, and the attacks on it. */
export type Survivor = {
  /** Wipes everything except the facts in this store. The other stores keep nothing that shows the state of the log. */
  readonly wipeOthers: (own: Own) => Promise<void>;
  /** Reads the facts of the store, and returns a function that writes them there again. Fails if the store has no facts. */
  readonly take: (own: Own) => Promise<() => Promise<void>>;
  /** Writes facts into the store that are far beyond the log. */
  readonly forge: (own: Own, signer: Signer, installation: string) => Promise<void>;
};

const redisDo = async <Result>(work: (redis: Redis) => Promise<Result>): Promise<Result> => {
  const redis = new Redis(urlOf('redis'));
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
};

const keyOf = async (redis: Redis, { prefix }: Own): Promise<string> => {
  const [key] = await redis.keys(`${prefix}:*:facts`);
  if (key === undefined) throw new Error('Redis has no facts of the log.');
  return key;
};

const mongoDo = async <Result>({ database }: Own, work: (rows: ReturnType<typeof factsIn>) => Promise<Result>): Promise<Result> => {
  const client = new MongoClient(urlOf('mongodb'));
  try {
    return await work(factsIn(client, database));
  } finally {
    await client.close();
  }
};
const factsIn = (client: MongoClient, database: string) =>
  client.db(database).collection<{ readonly _id: string; readonly text: string }>('facts');

const kafka = () => new Kafka({ brokers: urlOf('kafka').split(','), logLevel: logLevel.NOTHING });
const factsHeader = 'waymark-facts';

type Sent = Pick<KafkaMessage, 'key' | 'value' | 'headers'> & { readonly partition: number };

/** Returns the last record with facts in the topic. */
const lastFacts = async ({ topic }: Own): Promise<Sent> => {
  const consumer = kafka().consumer({ groupId: ownName('last-facts') });
  const found = Promise.withResolvers<Sent>();
  await consumer.connect();
  await consumer.subscribe({ topic });
  await consumer.run({
    eachMessage: async ({ partition, message }) => {
      if (message.headers?.[factsHeader] !== undefined) found.resolve({ ...message, partition });
    },
  });
  try {
    return await found.promise;
  } finally {
    await consumer.disconnect();
  }
};

const send = async ({ topic }: Own, { partition, key, value, headers }: Sent): Promise<void> => {
  const producer = kafka().producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  await producer.send({ topic, messages: [{ partition, key, value, headers: headers ?? {} }] });
  await producer.disconnect();
};

/** Returns facts as an attacker writes them: without a signature, with another key, with another installation's id, or with a signature for
 * another purpose. */
const forgeries = (signer: Signer, installation: string): readonly string[] => {
  const ids = { pinpoint: 2 ** 50, list: 2 ** 50, category: 2 ** 50, happening: 2 ** 50 };
  const body = JSON.stringify({ incarnation: 'never', head: 2 ** 50, event: '', stream: '', revision: 0, ids });
  const other = createSigner(['a key that this installation has never accepted']);
  return [
    body,
    other.sign('log-facts', installation, body) + body,
    signer.sign('log-facts', '00000000-0000-4000-8000-000000000002', body) + body,
    signer.sign('positions', installation, body) + body,
  ];
};

export const survivors: Readonly<Record<string, Survivor>> = {
  Redis: {
    wipeOthers: async (own) => void (await Promise.all([deleteTopic(own), emptyDatabase(own.database)])),
    take: (own) =>
      redisDo(async (redis) => {
        const [key, text] = [await keyOf(redis, own), await redis.get(await keyOf(redis, own))];
        return () => redisDo(async (later) => void (await later.set(key, text ?? '')));
      }),
    forge: (own, signer, installation) =>
      redisDo(async (redis) => {
        for (const text of forgeries(signer, installation)) await redis.set(await keyOf(redis, own), text);
      }),
  },
  MongoDB: {
    wipeOthers: async (own) => void (await Promise.all([deleteTopic(own), deleteKeys(own), emptyDatabase(own.database, ['facts'])])),
    take: (own) =>
      mongoDo(own, async (rows) => {
        const row = await rows.findOne({ _id: 'facts' });
        if (row === null) throw new Error('MongoDB has no facts of the log.');
        return () => mongoDo(own, async (later) => void (await later.replaceOne({ _id: 'facts' }, row, { upsert: true })));
      }),
    forge: (own, signer, installation) =>
      mongoDo(own, async (rows) => {
        for (const text of forgeries(signer, installation)) await rows.updateOne({ _id: 'facts' }, { $set: { text } });
      }),
  },
  'the Kafka topic': {
    wipeOthers: async (own) => void (await Promise.all([deleteKeys(own), emptyDatabase(own.database)])),
    take: async (own) => {
      const last = await lastFacts(own);
      return () => send(own, last);
    },
    forge: async (own, signer, installation) => {
      const last = await lastFacts(own);
      for (const text of forgeries(signer, installation)) await send(own, { ...last, headers: { ...last.headers, [factsHeader]: text } });
    },
  },
};

/** Whether Redis and MongoDB have facts with this head. The relay sends the facts that it writes to Redis to the topic, too. */
export const haveFacts = async (own: Own, head: number): Promise<boolean> => {
  const inRedis = await redisDo(async (redis) => redis.get(await keyOf(redis, own)));
  const inMongo = await mongoDo(own, async (rows) => (await rows.findOne({ _id: 'facts' }))?.text);
  return [inRedis, inMongo].every((text) => text?.includes(`"head":${head},`));
};
