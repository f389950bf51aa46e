// Long because every test runs on the same log, topic and database.

import { setTimeout as pause } from 'node:timers/promises';
import type { Broker } from '@waymark/broker/broker.ts';
import { type KafkaBroker, openKafkaBroker } from '@waymark/broker/kafka/broker.ts';
import { encoded } from '@waymark/broker/kafka/codec.ts';
import { signHeaders } from '@waymark/broker/kafka/trust.ts';
import { kafka, withAdmin, withProducer } from '@waymark/broker/testing/kafka.ts';
import { someSigner } from '@waymark/broker/testing/some-records.ts';
import type { DomainEvent, NewEvent } from '@waymark/domain/event.ts';
import { encode, eventVersions } from '@waymark/domain/event-types.ts';
import { partitionOf, partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import type { LogState } from '@waymark/event-log/event-log.ts';
import { type EventStoreLog, openEventStoreLog } from '@waymark/event-log/eventstoredb/event-log.ts';
import { newEventId, seal } from '@waymark/event-log/seal.ts';
import { type MongoReadSide, openMongoReadSide } from '@waymark/read-models/mongodb/read-side.ts';
import { emptyDatabase } from '@waymark/read-models/testing/empty-database.ts';
import type { Announcement } from '@waymark/read-models/visibility/announcements.ts';
import { createRelay, type Relay } from '@waymark/relay/relay.ts';
import { createSigner } from '@waymark/signing/signer.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { MongoClient } from 'mongodb';
import { pino } from 'pino';
import type { History } from './ports.ts';
import { createProjector, type Projector } from './projector.ts';
import { waitUntil } from './testing/until.ts';

/** The bound of each wait. Consumers join their group and generations are switched with pauses of seconds, on a machine that does other
 * work, too. */
const boundMs = 300_000;

const logger = pino({ level: process.env['WAYMARK_TEST_LOG'] ?? 'silent' });

/** Returns the part of a log that some accounts have from now on. Other tests write to the same log, and their events need not be
 * projectable. */
const ownPart = async (log: EventStoreLog, accounts: readonly string[]): Promise<History> => {
  const { head } = await log.state();
  const own = new Set(accounts);
  return {
    state: log.state,
    subscribeToHistory: async (after, handle, signal) => {
      if (after < head) await handle({ events: [], through: head });
      await log.subscribeToHistory(
        Math.max(after, head),
        ({ events, through }) => handle({ events: events.filter(({ envelope }) => own.has(envelope.account)), through }),
        signal,
      );
    },
  };
};

const fact = (account: string, event: DomainEvent): NewEvent =>
  seal({
    id: newEventId(),
    type: event.type,
    version: eventVersions[event.type],
    content: encode(event),
    account,
    origin: { actor: 'test', token: null, request: null },
    sanitized: false,
  });

describeOn(['eventstore', 'kafka', 'mongodb'], 'the pipeline from the event log through Kafka into the read models', () => {
  const database = ownName('projector');
  const accounts = Array.from({ length: 8 }, (_, nth) => ownName(`account${nth}`));
  const announced: Announcement[] = [];
  let log: EventStoreLog;
  let part: History;
  let readSide: MongoReadSide;
  let records: KafkaBroker;
  const topic = ownName('projector');
  let relaying: Relay;
  const projectors: Projector[] = [];
  /** One of this many sends is lost; 0: none. */
  let loseOneIn = 0;
  let sends = 0;
  let pinpoints = Math.floor(Math.random() * 1e9) * 1_000;

  const startProjector = (): Projector => {
    const one = createProjector({
      readSide,
      log: part,
      records,
      announcements: { publish: (some) => void announced.push(...some) },
      partitions: partitionsOfCluster,
      group: database,
      version: 1,
      graceMs: 1_000,
      roundEveryMs: 0,
      logger,
    });
    projectors.push(one);
    return one;
  };
  const send: Broker['send'] = async (some, installation) => {
    sends += 1;
    if (loseOneIn === 0 || sends % loseOneIn !== 0) await records.send(some, installation);
  };

  beforeAll(async () => {
    log = openEventStoreLog({ url: urlOf('eventstore') });
    part = await ownPart(log, accounts);
    readSide = openMongoReadSide({ url: urlOf('mongodb'), database, version: 1 });
    records = openKafkaBroker({
      brokers: urlOf('kafka').split(','),
      topic,
      clientId: 'test',
      signer: someSigner,
      logger,
    });
    await records.ensure();
    await readSide.ensure();
    const lease = { holds: () => true };
    relaying = createRelay({ log: part, records: { ...records, send }, lease, partitions: partitionsOfCluster, logger });
    startProjector();
  });
  afterAll(async () => {
    await Promise.all(projectors.map(({ close }) => close()));
    await relaying.close();
    await records.close();
    await log.close();
    await readSide.close();
    await dropDatabase(database);
  });

  /** Creates pinpoints, for all accounts in turn.
   * @returns their ids and positions */
  const create = async (count: number) => {
    const made: { readonly id: number; readonly account: string; readonly position: number }[] = [];
    for (let nth = 0; nth < count; nth += 1) {
      pinpoints += 1;
      const id = pinpoints;
      const account = accounts[nth % accounts.length] ?? '';
      const event = fact(account, { ...sampleEvents.PinpointCreated, account, pinpoint: id });
      const appended = await log.append(`pinpoint-${id}`, [event], 'none');
      if (appended.outcome !== 'appended') throw new Error('The append was refused.');
      made.push({ id, account, position: appended.position });
    }
    return made;
  };
  const isThere = async (id: number): Promise<boolean> => {
    const found = await readSide.live.find('pinpoint', id).catch(() => undefined);
    return found?.shown === true;
  };
  const allThere = (made: readonly { readonly id: number }[]): Promise<void> =>
    waitUntil('all pinpoints are there', async () => (await Promise.all(made.map(({ id }) => isThere(id)))).every(Boolean), boundMs);

  it('shows appended events, from the first generation on, and announces them', async () => {
    const made = await create(40);
    await allThere(made);
    const later = await create(40);
    await allThere(later);
    const last = later.at(-1);
    const partition = partitionOf(last?.account ?? '', partitionsOfCluster);
    expect(announced).toContainEqual(expect.objectContaining({ partition, position: last?.position }));
    expect(await readSide.visiblePosition(partition)).toBeGreaterThanOrEqual(last?.position ?? 0);
    await waitUntil('the projector is ready', () => projectors[0]?.notReady().length === 0);
  });

  it('shows events that Kafka lost', async () => {
    loseOneIn = 3;
    const made = await create(120);
    loseOneIn = 0;
    await allThere(made);
    expect(projectors[0]?.stats().projections[0]?.totals.filled).toBeGreaterThan(0);
  });

  /** Returns pinpoints as readers see them. */
  const shown = (made: readonly { readonly id: number }[]): Promise<string[]> =>
    Promise.all(made.map(async ({ id }) => JSON.stringify(await readSide.live.find('pinpoint', id))));

  it('shows nothing of forged records, and all events that were appended since', async () => {
    const made = await create(accounts.length);
    await allThere(made);
    const state = await log.state();
    const [before, counted] = [await shown(made), records.counts()];
    const forged = made.flatMap((one) => forgeries(one, state));
    await withProducer((producer) => producer.send({ topic, messages: forged }));
    await allThere(await create(40));
    const more = (reason: 'unsigned' | 'forged' | 'foreign'): number => records.counts()[reason] - counted[reason];
    await waitUntil('all forged records were checked', () => more('unsigned') >= made.length && more('foreign') >= made.length, boundMs);
    expect(more('forged')).toBeGreaterThanOrEqual(3 * made.length);
    expect(await shown(made)).toEqual(before);
    expect(records.warnings()).toHaveLength(1);
    expect(projectors[0]?.notReady()).toEqual([]);
  });

  it('shows the same state after old records were sent again', async () => {
    const made = await create(accounts.length);
    await allThere(made);
    const [before, { read }] = [await shown(made), await readSide.generations.roles()];
    const old = await copiesOf(topic);
    await withProducer(async (producer) => {
      for (let at = 0; at < old.length; at += 500) await producer.send({ topic, messages: old.slice(at, at + 500) });
    });
    await allThere(await create(40));
    expect(await shown(made)).toEqual(before);
    expect((await readSide.generations.roles()).read).toBe(read);
    expect(projectors[0]?.notReady()).toEqual([]);
  });

  it('shares partitions with another projector', async () => {
    startProjector();
    const made = await create(80);
    await allThere(made);
    await waitUntil('both projectors are ready', () => projectors.every(({ notReady }) => notReady().length === 0), boundMs);
  });

  it('is rebuilt from the log, without an operator, when the database is wiped', async () => {
    const made = await create(40);
    await allThere(made);
    await emptyDatabase(database);
    const later = await create(40);
    await allThere([...made, ...later]);
  });

  it('is rebuilt next to the live generation, and no read fails or misses anything', async () => {
    const before = (await readSide.generations.roles()).read;
    const made = await create(20);
    await allThere(made);
    const name = await projectors[0]?.rebuild();
    /** If this process did not run for a while, it does not know which generation is live. It asks again. */
    const found = async (id: number, endMs = performance.now() + boundMs): ReturnType<typeof readSide.live.find> =>
      readSide.live.find('pinpoint', id).catch(async (error: Error) => {
        if (!error.message.startsWith('It is not known which generation') || performance.now() > endMs) throw error;
        await pause(20);
        return found(id, endMs);
      });
    let over = false;
    const reading = (async () => {
      while (!over) {
        for (const { id } of made) expect((await found(id))?.shown).toBe(true);
        await pause(20);
      }
    })();
    try {
      await waitUntil('the new generation is read', async () => (await readSide.generations.roles()).read === name, boundMs);
      await allThere(await create(20));
      await waitUntil('the old generation is dropped', async () => (await readSide.generations.list()).length === 1, boundMs);
    } finally {
      over = true;
      await reading;
    }
    expect(name).not.toBe(before);
  });
});

type Sent = {
  readonly partition: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: ReturnType<typeof signHeaders>;
};

/** Returns records that would edit a pinpoint, at any position of its partition, if they were trusted. */
const forgeries = (
  { id, account }: { readonly id: number; readonly account: string },
  { incarnation, installation, head }: LogState,
): Sent[] => {
  const partition = partitionOf(account, partitionsOfCluster);
  const edited = fact(account, { type: 'PinpointEdited', pinpoint: id, fields: { description: '<script>alert(1)</script>' } });
  const position = head + 1_000_000;
  const event = { stream: `pinpoint-${id}`, revision: 1, position, ...edited };
  const record = { partition, incarnation, position, previous: 0, eventId: edited.envelope.id, event };
  const [value, right] = [encoded(record), encoded({ ...record, event: null })];
  const ours = { signer: someSigner, installation };
  const other = createSigner(['the key of somebody else, who has no other']);
  const headers = [
    {},
    signHeaders(ours, partition, right),
    signHeaders(ours, (partition + 1) % partitionsOfCluster, value),
    signHeaders({ ...ours, signer: other }, partition, value),
    signHeaders({ ...ours, installation: newEventId() }, partition, value),
  ];
  return headers.map((one) => ({ partition, key: null, value, headers: one }));
};

/** Returns all records of a topic. */
const copiesOf = async (topic: string): Promise<Sent[]> => {
  const ends = await withAdmin((admin) => admin.fetchTopicOffsets(topic));
  const found: Sent[] = [];
  const reached = new Map<number, number>();
  const consumer = kafka().consumer({ groupId: ownName('copies') });
  try {
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ partition, message: { key, value, headers = {}, offset } }) => {
        reached.set(partition, Number(offset) + 1);
        found.push({ partition, key, value, headers });
      },
    });
    await waitUntil(
      'all records are copied',
      () => ends.every(({ partition, high }) => (reached.get(partition) ?? 0) >= Number(high)),
      boundMs,
    );
  } finally {
    await consumer.disconnect();
  }
  return found;
};

const dropDatabase = async (name: string): Promise<void> => {
  const client = new MongoClient(urlOf('mongodb'));
  try {
    await client.db(name).dropDatabase();
  } finally {
    await client.close();
  }
};
