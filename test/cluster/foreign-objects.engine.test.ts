import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ResourceKind, resourceStream } from '@waymark/domain/streams.ts';
import { eventStore } from '@waymark/event-log/testing/eventstore.ts';
import { openDiskMedia } from '@waymark/media/disk/media.ts';
import { createMongoClient } from '@waymark/read-models/mongodb/client.ts';
import { collectionsOf, type DocumentRow } from '@waymark/read-models/mongodb/collections.ts';
import { ownDatabase } from '@waymark/read-models/testing/mongodb.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import type { MongoClient } from 'mongodb';
import { type Client, openClient } from '../api/client.ts';
import { aList, anEvent, aPinpoint, members } from '../api/samples.ts';
import { type Application, bodyOf, openSession, type Session, tokenCall } from '../api/session.ts';
import { type InstanceResponse, instanceOn, type Request } from '../model/interleavings/instance.ts';
import { type Cluster, startCluster } from './setup/cluster.ts';

describeOn(['eventstore', 'mongodb'], 'An account that was changed in MongoDB, for a command service,', () => {
  const database = ownDatabase();
  const store = eventStore();

  /** Opens the command service on the event store, with read models of its own that the test fills. */
  const open = async () => {
    const log = store.log();
    const { name, models } = await database.fresh();
    const { incarnation } = await log.state();
    await models.apply(0, 0, [], { incarnation, position: 0, event: '' });
    const alarms: string[] = [];
    const onOwnerMismatch = (stream: string): void => void alarms.push(stream);
    const asked = jest.spyOn(log, 'owners');
    const media = openDiskMedia({ directory: join(tmpdir(), ownName('no-media')) });
    const { send } = instanceOn({ log, models, media, incarnation, reached: async () => true }, onOwnerMismatch);
    const [victim, attacker] = [ownName('victim'), ownName('attacker')];
    let position = 0;
    /** Creates an object, in the log and in MongoDB. */
    const create = async (kind: ResourceKind, account: string, endpoint: Request['endpoint'], body: unknown): Promise<number> => {
      const { id } = (await send({ endpoint, account, body })).json as { id: number };
      const [event] = await log.read(resourceStream(kind, id), 0);
      if (event === undefined) throw new Error('The event is not in the log.');
      await models.apply(0, position, [event], { incarnation, position: event.position, event: event.envelope.id });
      position = event.position;
      return id;
    };
    const change = (kind: ResourceKind, id: number, account: string) =>
      collectionsOf(database.client().db(database.name), name)[kind].updateOne({ _id: id }, { $set: { account } });
    const revisions = async (kind: ResourceKind, id: number): Promise<number> => (await log.read(resourceStream(kind, id), 0)).length;
    return { send, create, change, revisions, alarms, asked, victim, attacker };
  };

  const refused = ({ status }: InstanceResponse): void => expect(status).toBe(503);

  it.each<[ResourceKind, Request['endpoint'], unknown, readonly [Request['endpoint'], unknown][]]>([
    [
      'pinpoint',
      'POST /pinpoints',
      aPinpoint(),
      [
        ['PUT /pinpoints/:id', aPinpoint({ name: 'Taken' })],
        ['DELETE /pinpoints/:id', undefined],
      ],
    ],
    [
      'list',
      'POST /lists',
      aList(),
      [
        ['PUT /lists/:id', aList({ name: 'Taken' })],
        ['POST /lists/:id/pinpoints', members(1)],
        ['DELETE /lists/:id/pinpoints', members(1)],
        ['DELETE /lists/:id', undefined],
      ],
    ],
  ])('allows no writes to the stream of a %s: 503, and an alarm', async (kind, creation, body, writes) => {
    const { send, create, change, revisions, alarms, victim, attacker } = await open();
    const id = await create(kind, victim, creation, body);
    await change(kind, id, attacker);
    for (const [endpoint, content] of writes) refused(await send({ endpoint, account: attacker, id, body: content }));
    expect([await revisions(kind, id), alarms]).toEqual([1, writes.map(() => resourceStream(kind, id))]);
  });

  it('allows no event at a pinpoint', async () => {
    const { send, create, change, alarms, victim, attacker } = await open();
    const theirs = await create('pinpoint', victim, 'POST /pinpoints', aPinpoint());
    const mine = await create('pinpoint', attacker, 'POST /pinpoints', aPinpoint());
    const event = await create('happening', attacker, 'POST /events', anEvent(mine));
    await change('pinpoint', theirs, attacker);
    refused(await send({ endpoint: 'POST /events', account: attacker, body: anEvent(theirs) }));
    refused(await send({ endpoint: 'PUT /events/:id', account: attacker, id: event, body: anEvent(theirs) }));
    expect(alarms).toEqual([resourceStream('pinpoint', theirs), resourceStream('pinpoint', theirs)]);
  });

  it('is checked in the log once before the first append to an object, and not for a new object', async () => {
    const { send, create, alarms, asked, victim } = await open();
    const id = await create('list', victim, 'POST /lists', aList());
    expect(asked).not.toHaveBeenCalled();
    for (const name of ['One', 'Two', 'Three']) {
      expect((await send({ endpoint: 'PUT /lists/:id', account: victim, id, body: aList({ name }) })).status).toBe(200);
    }
    expect(asked.mock.calls).toEqual([[[resourceStream('list', id)]]]);
    expect(alarms).toEqual([]);
  });
});

/** The bound of a start and of a stop. It only detects a hang. */
const startMs = 300_000;

describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'media'], 'An account that was changed in MongoDB, in a cluster,', () => {
  let cluster: Cluster;
  let client: Client;
  let mongo: MongoClient;
  beforeAll(async () => {
    cluster = await startCluster();
    client = openClient(cluster.url);
    mongo = createMongoClient({ url: urlOf('mongodb') });
  }, startMs);
  afterAll(async () => {
    client?.close();
    await mongo?.close();
    await cluster?.stop();
  }, startMs);

  const newSession = async (): Promise<Session> => {
    const body = { account: ownName('account'), name: 'test/cluster', scopes: ['read', 'write'] };
    const application = bodyOf<Application>(await cluster.operator('POST', '/applications', body), 201);
    const { access_token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
    return openSession(client.send, application, access_token);
  };

  it('allows no write, and is reported to the operator', async () => {
    const [victim, attacker] = [await newSession(), await newSession()];
    const { id } = await victim.create('/pinpoints', aPinpoint());
    const { id: other } = await attacker.create('/pinpoints', aPinpoint());
    const database = mongo.db(cluster.own.database);
    const collections = await database.listCollections({ name: /\.pinpoint$/ }).toArray();
    for (const { name } of collections) {
      const pinpoints = database.collection<DocumentRow>(name);
      const { account = '' } = (await pinpoints.findOne({ _id: other })) ?? {};
      await pinpoints.updateOne({ _id: id }, { $set: { account } });
    }
    await attacker.read(`/pinpoints/${id}`);
    expect((await attacker.put(`/pinpoints/${id}`, aPinpoint({ name: 'Taken' }))).status).toBe(503);
    const { warnings } = bodyOf<{ readonly warnings: readonly string[] }>(await cluster.operator('GET', '/status'), 200);
    const owner = `The owner in the read models differs from the event log for: ${resourceStream('pinpoint', id)}.`;
    // Other tests leave events in the log that the cluster warns about, too.
    expect(warnings).toContainEqual(expect.stringContaining(owner));
  });
});
