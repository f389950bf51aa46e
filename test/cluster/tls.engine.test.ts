import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { permitLeast, withAdmin } from '@waymark/broker/testing/kafka.ts';
import { partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { MongoClient } from 'mongodb';
import { openClient } from '../api/client.ts';
import { aFile } from '../api/pictures.ts';
import { aPinpoint } from '../api/samples.ts';
import { type Application, bodyOf, openSession, tokenCall } from '../api/session.ts';
import { type Cluster, newPlace, startCluster } from './setup/cluster.ts';

const startMs = 300_000;
const stopMs = 300_000;

/** Returns the settings of an engine, with its user and its password apart from its URL, in files. */
const settingsApart = (engine: string, from: string, directory: string): Readonly<Record<string, string>> => {
  const url = new URL(from.replace(/^gridfs\+/, ''));
  const fileOf = (name: string, value: string): string => {
    const file = join(directory, `${engine}-${name}`);
    writeFileSync(file, `${decodeURIComponent(value)}\n`, { mode: 0o600 });
    return file;
  };
  const files = { username: fileOf('username', url.username), password: fileOf('password', url.password) };
  url.username = '';
  url.password = '';
  return {
    [`WAYMARK_${engine}_URL`]: `${from.startsWith('gridfs+') ? 'gridfs+' : ''}${url.href}`,
    [`WAYMARK_${engine}_USERNAME_FILE`]: files.username,
    [`WAYMARK_${engine}_PASSWORD_FILE`]: files.password,
  };
};

describeOn(
  ['eventstore', 'kafka', 'mongodb', 'redis', 'tls', 'eventstoreTls', 'kafkaTls', 'kafkaLeastCredentials', 'mongodbTls', 'redisTls'],
  'A cluster that connects to every engine by TLS, with a user and a password, on a topic that it may neither create nor alter',
  () => {
    const directory = mkdtempSync(join(tmpdir(), 'waymark-tls-'));
    const place = newPlace();
    const databases = { readModels: ownName('tls'), media: ownName('tls-media') };
    let cluster: Cluster;

    beforeAll(async () => {
      const [username = '', password = ''] = urlOf('kafkaLeastCredentials').split(':');
      const media = new URL(urlOf('mongodbTls'));
      media.pathname = databases.media;
      media.searchParams.set('authSource', 'admin');
      writeFileSync(join(directory, 'kafka-password'), password, { mode: 0o600 });
      await withAdmin((admin) => admin.createTopics({ topics: [{ topic: place.own.topic, numPartitions: partitionsOfCluster }] }));
      await permitLeast(place.own.topic, databases.readModels);
      cluster = await startCluster(
        {
          ...settingsApart('EVENTSTORE', urlOf('eventstoreTls'), directory),
          ...settingsApart('MONGODB', urlOf('mongodbTls'), directory),
          ...settingsApart('REDIS', urlOf('redisTls'), directory),
          ...settingsApart('MEDIA', `gridfs+${media.href}`, directory),
          WAYMARK_KAFKA_BROKERS: urlOf('kafkaTls'),
          WAYMARK_KAFKA_TLS: 'on',
          WAYMARK_KAFKA_SASL_MECHANISM: 'PLAIN',
          WAYMARK_KAFKA_USERNAME: username,
          WAYMARK_KAFKA_PASSWORD_FILE: join(directory, 'kafka-password'),
          WAYMARK_MONGODB_DATABASE: databases.readModels,
          WAYMARK_TLS_CA_FILE: urlOf('tls'),
        },
        place,
      );
    }, startMs);
    afterAll(async () => {
      await cluster?.stop();
      rmSync(directory, { recursive: true });
      const client = new MongoClient(urlOf('mongodbTls'), { tlsCAFile: urlOf('tls') });
      for (const name of Object.values(databases)) await client.db(name).dropDatabase();
      await client.close();
    }, stopMs);

    it('serves a written object with its file', async () => {
      const client = openClient(cluster.url);
      const body = { account: ownName('account'), name: 'test/cluster', scopes: ['read', 'write'] };
      const application = bodyOf<Application>(await cluster.operator('POST', '/applications', body), 201);
      const { access_token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
      const session = openSession(client.send, application, access_token);
      const made = await session.create('/pinpoints', aPinpoint({ media_file: await aFile() }));
      expect(await session.read(`/pinpoints/${made.id}`)).toEqual(made);
      const file = await client.send({ method: 'GET', path: new URL(String(made['media_url'])).pathname });
      expect(file).toMatchObject({ status: 200, headers: { 'content-type': 'image/png' } });
      client.close();
    });

    it('prints no password of any engine', () => {
      for (const name of ['eventstoreTls', 'mongodbTls', 'redisTls'] as const)
        expect(cluster.printed()).not.toContain(`:${new URL(urlOf(name)).password}@`);
    });
  },
);
