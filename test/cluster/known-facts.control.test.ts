import { control } from '@waymark/engines/control.ts';
import { describeOn, ownName, urlOf } from '@waymark/engines/engines.ts';
import { type Passage, passageTo } from '@waymark/engines/passage.ts';
import { createSigner } from '@waymark/signing/signer.ts';
import { Redis } from 'ioredis';
import { Kafka, type KafkaMessage, logLevel, Partitioners } from 'kafkajs';
import { MongoClient } from 'mongodb';
import { openClient } from '../api/client.ts';
import { aPinpoint } from '../api/samples.ts';
import { type Application, bodyOf, openSession, type Session, tokenCall } from '../api/session.ts';
import { useDesk } from '../cli/waymark.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { withLog } from './history/facts.ts';
import { deleteKeys, deleteTopic, emptyDatabase, type Own } from './own.ts';
import { pidOf, signerOf } from './places.ts';
import { atRest } from './rest.ts';
import { everything, missing, putBack } from './rolled-back.ts';
import { until } from './waiting.ts';

const withinMs = 300_000;
/** More than one block of ids. */
const lostCount = 200;
const atOnce = 10;

type Signer = ReturnType<typeof createSigner>;

/** One store that outlives what all others lose, and what somebody can do to it. */
type Survivor = {
  /** Wipes all but the facts in this store: everything that tells of the log in the others, too. */
  readonly wipeOthers: (own: Own) => Promise<void>;
  /** What it knows, to be put there again; fails where it knows nothing. */
  readonly take: (own: Own) => Promise<() => Promise<void>>;
  /** Puts facts there that reach far beyond the log. */
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
  if (key === undefined) throw new Error('Redis knows nothing of the log.');
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

/** The last record with facts that the topic has had by now. */
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

/** As somebody writes them who has another key, another installation's id, or none of both. */
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

const survivors: Readonly<Record<string, Survivor>> = {
  Redis: {
    wipeOthers: async (own) => void (await Promise.all([deleteTopic(own), emptyDatabase(own)])),
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
    wipeOthers: async (own) => void (await Promise.all([deleteTopic(own), deleteKeys(own), emptyDatabase(own, ['facts'])])),
    take: (own) =>
      mongoDo(own, async (rows) => {
        const row = await rows.findOne({ _id: 'facts' });
        if (row === null) throw new Error('MongoDB knows nothing of the log.');
        return () => mongoDo(own, async (later) => void (await later.replaceOne({ _id: 'facts' }, row, { upsert: true })));
      }),
    forge: (own, signer, installation) =>
      mongoDo(own, async (rows) => {
        for (const text of forgeries(signer, installation)) await rows.updateOne({ _id: 'facts' }, { $set: { text } });
      }),
  },
  'the Kafka topic': {
    wipeOthers: async (own) => void (await Promise.all([deleteKeys(own), emptyDatabase(own)])),
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

describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'media', 'control'], 'a cluster whose event store was rolled back', () => {
  let [passage, cluster, session]: [Passage?, Cluster?, Session?] = [];
  const place: Record<string, string> = {};
  const desk = useDesk(place);
  const given = new Set<number>();
  const own = (): Cluster => cluster as Cluster;

  beforeAll(async () => {
    await control('wipe', 'eventstore');
    await control('start', 'eventstore');
    const { hostname, port } = new URL(urlOf('eventstore').replace(/^\w+:/, 'http:'));
    passage = await passageTo({ host: hostname, port: Number(port) });
    cluster = await startCluster({ WAYMARK_EVENTSTORE_URL: `esdb://127.0.0.1:${passage.port}?tls=false` });
    place['WAYMARK_DATA_DIR'] = cluster.directory;
    const made = await cluster.operator('POST', '/applications', { account: ownName('known'), name: 'known', scopes: ['read', 'write'] });
    session = await sessionOf(cluster, bodyOf<Application>(made, 201));
  });
  afterAll(async () => {
    await cluster?.stop();
    await passage?.close();
  });

  const create = () => (session as Session).post('/pinpoints', aPinpoint({ name: 'new' }));
  /** Ids are given, and none of them twice. */
  const createMany = async (count: number): Promise<void> => {
    for (let made = 0; made < count; made += atOnce)
      for (const answer of await Promise.all(Array.from({ length: atOnce }, create))) {
        const { id } = bodyOf<{ id: number }>(answer, 201);
        expect(given.has(id)).toBe(false);
        given.add(id);
      }
  };
  /** @returns what puts the facts of before there again */
  const rollBack = async ({ wipeOthers, take }: Survivor): Promise<() => Promise<void>> => {
    const copy = await withLog(everything);
    await createMany(lostCount);
    await atRest(own());
    // The facts are written a second later at most.
    await until('the facts are written', withinMs, async () => (await facts('Redis')).length > 0 && (await facts('MongoDB')).length > 0);
    const putAgain = await take(own().own);
    const processes = await own().processes();
    await passage?.cut();
    // What they remember would tell, too.
    for (const { pid } of processes) if (pid !== undefined) process.kill(pid, 'SIGKILL');
    await control('wipe', 'eventstore');
    await control('start', 'eventstore');
    await putBack(copy);
    await wipeOthers(own().own);
    await passage?.heal();
    return putAgain;
  };
  const facts = async (store: 'Redis' | 'MongoDB'): Promise<string> => {
    const text =
      store === 'Redis'
        ? await redisDo(async (redis) => redis.get(await keyOf(redis, own().own)))
        : await mongoDo(own().own, async (rows) => (await rows.findOne({ _id: 'facts' }))?.text);
    const { head } = await withLog((log) => log.state());
    return text?.includes(`"head":${head},`) ? text : '';
  };
  const renewed = async (): Promise<void> => {
    await until('the operator answers', withinMs, async () => (await desk.run('writes', 'close')).code === 0);
    await desk.json(['renew']);
    await desk.json(['writes', 'open']);
    session = await succeeds(async () => sessionOf(own(), (session as Session).application));
    await atRest(own());
  };

  it.each(Object.entries(survivors))('takes no writes where only %s still knows of it, and gives no id again', async (_, survivor) => {
    const [{ own: names }, signer] = [own(), await signerOf(own())];
    const { installation } = await withLog((log) => log.state());
    await createMany(atOnce);
    const putAgain = await rollBack(survivor);
    const statuses = new Set<number>();
    await until('it says so', withinMs, async () => {
      const { status, body } = await create();
      statuses.add(status);
      return (
        status === 503 &&
        JSON.stringify(body).includes('waymark renew') &&
        (await missing(own())).some((what) => what.includes('waymark renew'))
      );
    });
    expect([...statuses]).not.toContain(201);

    await renewed();
    await createMany(2 * atOnce);

    // What was known of the log before says nothing of it now.
    await putAgain();
    await survivor.forge(names, signer, installation);
    await putAgain();
    for (const service of ['relay', 'commands']) process.kill(await pidOf(own(), service), 'SIGKILL');
    await atRest(own());
    await createMany(atOnce);
    expect(await own().ready()).toBe(true);
  });
});

/** What comes of something, tried until it comes. */
const succeeds = async <Result>(attempt: () => Promise<Result>): Promise<Result> => {
  const results: Result[] = [];
  await until('it succeeds', withinMs, async () => {
    results.push(await attempt());
    return true;
  });
  return results[0] as Result;
};

const sessionOf = async ({ url }: Cluster, application: Application): Promise<Session> => {
  const client = openClient(url);
  const { access_token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
  return openSession(client.send, application, access_token);
};
