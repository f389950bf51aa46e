import { type KafkaBroker, openKafkaBroker } from '@waymark/broker/kafka/broker.ts';
import { silent } from '@waymark/broker/testing/kafka.ts';
import { someWatermark } from '@waymark/broker/testing/some-records.ts';
import { partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { type MongoReadSide, openMongoReadSide } from '@waymark/read-models/mongodb/read-side.ts';
import { createSigner } from '@waymark/signing/signer.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { openClient } from '../api/client.ts';
import { aPinpoint } from '../api/samples.ts';
import { type Application, bodyOf, openSession, type Session, type Thing, tokenCall } from '../api/session.ts';
import { useDesk } from '../cli/waymark.ts';
import { withLog } from './history/facts.ts';
import { type Cluster, startCluster } from './setup/cluster.ts';
import { untilAtRest, verificationFindings } from './setup/rest.ts';
import { until } from './setup/until.ts';

/** The bound of each wait, on a machine that may be busy. */
const withinMs = 300_000;
const otherId = '00000000-0000-4000-8000-000000000002';
const partitions = Array.from({ length: partitionsOfCluster }, (_, partition) => partition);

/** The test acts as the processes of the other installation would: with its id and key, on the same database and topic. */
describeOn(
  ['eventstore', 'kafka', 'mongodb', 'redis', 'media'],
  'a cluster whose topic and database another installation has taken over',
  () => {
    let cluster: Cluster;
    let session: Session;
    let topic: KafkaBroker;
    let otherReadModels: MongoReadSide;
    let ownId = '';
    const made: Thing[] = [];
    const place: Record<string, string> = {};
    const desk = useDesk(place);

    beforeAll(async () => {
      cluster = await startCluster();
      place['WAYMARK_DATA_DIR'] = cluster.directory;
      ({ installation: ownId } = await withLog((log) => log.state()));
      session = await newSession(cluster);
      for (let nth = 0; nth < 5; nth += 1) made.push(await session.create('/pinpoints', aPinpoint({ name: `kept ${nth}` })));
      topic = openKafkaBroker({
        brokers: urlOf('kafka').split(','),
        topic: cluster.own.topic,
        clientId: 'other',
        signer: createSigner(['the key of another installation, not of ours']),
        logger: silent,
      });
      otherReadModels = openMongoReadSide({ url: urlOf('mongodb'), database: cluster.own.database });
      otherReadModels.setInstallation(otherId);
    });
    afterAll(async () => {
      await Promise.all([topic?.close(), otherReadModels?.close()]);
      await cluster?.stop();
    });

    const missing = async (): Promise<string> => {
      const { missing: all } = await desk.json<{ missing: readonly string[] }>(['status']);
      return all.join('\n');
    };
    const send = (position: number): Promise<void> =>
      topic.send(
        partitions.map((partition) => someWatermark({ partition, previous: position, position })),
        otherId,
      );
    const relayPid = async (): Promise<number> => {
      const found = (await cluster.processes()).find(({ name, pid }) => name === 'relay' && pid !== undefined);
      if (found?.pid === undefined) throw new Error('There is no relay process.');
      return found.pid;
    };

    it('shows to other installations that it is alive: with heartbeats in the database and records in the topic', async () => {
      const [tail, beats] = [await topic.tail(otherId, undefined), await otherReadModels.beatsOf(ownId)];
      await until('its heartbeats increase', withinMs, async () => (await otherReadModels.beatsOf(ownId)) > beats);
      await until('its records arrive', withinMs, async () => (await topic.named(tail)).includes(ownId));
    });

    it('reads nothing from the database of the other installation, and writes nothing to it', async () => {
      const { take, drop, finish } = otherReadModels.takeover(ownId);
      await take();
      await drop();
      await finish();
      const generation = otherReadModels.generation(await otherReadModels.generations.begin());
      const to = { incarnation: 'other', position: 0, event: '' };
      await generation.applyTogether(partitions.map((partition) => ({ partition, after: 0, afterEvent: '', events: [], to })));
      await otherReadModels.generations.promote(generation.name);
      await otherReadModels.beat();
      await until('its processes report it', withinMs, async () =>
        new RegExp(`projector.*${otherId}.*WAYMARK_MONGODB_DATABASE.*waymark adopt --instead-of ${otherId}`).test(await missing()),
      );
      await until('gateways report it', withinMs, async () => /query-gateway.*WAYMARK_MONGODB_DATABASE/.test(await missing()));
      for (const path of [`/pinpoints/${made[0]?.id}`, '/pinpoints', '/lists']) {
        const refused = await session.get(path);
        expect([path, refused.status, refused.headers['retry-after']]).toEqual([path, 503, expect.any(String)]);
      }
      expect((await otherReadModels.generations.list()).map(({ name }) => name)).toEqual([generation.name]);
      expect(await otherReadModels.generations.roles()).toMatchObject({ read: generation.name, awaited: [generation.name] });
    });

    it('continues with writes and tokens from its log: nothing that it acknowledged is lost', async () => {
      const created = await session.post('/pinpoints', aPinpoint({ name: 'meanwhile' }));
      expect([created.status, created.headers['x-read-lag']]).toEqual([201, 'true']);
      made.push(created.body as Thing);
      const [first] = made.splice(0, 1);
      const changed = await session.put(`/pinpoints/${made[0]?.id}`, aPinpoint({ name: 'changed' }));
      expect([changed.status, changed.headers['x-read-lag']]).toEqual([200, 'true']);
      made[0] = changed.body as Thing;
      const deleted = await session.delete(`/pinpoints/${first?.id}`);
      expect([deleted.status, deleted.headers['x-read-lag']]).toEqual([204, 'true']);
      const client = openClient(cluster.url);
      bodyOf(await client.send(tokenCall(session.application)), 200);
      client.close();
    });

    it('has a relay that does not start on the topic of the other installation', async () => {
      const pid = await relayPid();
      process.kill(pid, 'SIGSTOP');
      await topic.empty();
      await send(7);
      process.kill(pid, 'SIGKILL');
      const refusal = new RegExp(`relay.*${otherId}.*WAYMARK_KAFKA_TOPIC.*waymark adopt --instead-of ${otherId}`);
      await until('the relay reports it', withinMs, async () => refusal.test(await missing()));
      expect((await topic.last(otherId)).foreign).toEqual([]);
    });

    it('does not replace an installation that is alive', async () => {
      const beating = setInterval(() => void otherReadModels.beat().catch(() => undefined), 200);
      try {
        const refused = await desk.run('adopt', '--instead-of', otherId);
        expect(refused).toMatchObject({
          code: 4,
          stderr: expect.stringContaining(`${otherId} is running (its processes use the database)`),
        });
      } finally {
        clearInterval(beating);
      }
      const wrong = await desk.run(
        'adopt',
        '--instead-of',
        ownId.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      );
      expect(wrong).toMatchObject({ code: 4, stderr: expect.stringContaining(`the topic names ${otherId}, the database ${otherId}`) });
      expect(await desk.run('adopt', '--instead-of', 'other')).toMatchObject({ code: 4, stderr: expect.stringContaining('instead_of') });
      expect((await desk.run('adopt')).code).toBe(2);
    });

    it('works on both once it has replaced the other installation, which then has nothing there', async () => {
      expect(await desk.json(['adopt', '--instead-of', otherId])).toEqual({ instead_of: otherId, topic: true, database: true });
      await untilAtRest(cluster);
      for (const thing of made) expect(await session.read(`/pinpoints/${thing.id}`)).toEqual(thing);
      await until('a write is visible once it is answered', withinMs, async () => {
        const more = await session.post('/pinpoints', aPinpoint({ name: 'after' }));
        expect(more.status).toBe(201);
        return more.headers['x-read-lag'] === undefined;
      });
      expect(await verificationFindings(cluster)).toEqual([]);
      await expect(otherReadModels.generations.begin()).rejects.toThrow('WAYMARK_MONGODB_DATABASE');
      expect((await topic.last(otherId)).foreign).toEqual([ownId]);
    });
  },
);

const newSession = async (cluster: Cluster): Promise<Session> => {
  const body = { account: ownName('installation'), name: 'installation', scopes: ['read', 'write'] };
  const application = bodyOf<Application>(await cluster.operator('POST', '/applications', body), 201);
  const client = openClient(cluster.url);
  const { access_token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
  return openSession(client.send, application, access_token);
};
