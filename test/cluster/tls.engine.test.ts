import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { MongoClient } from 'mongodb';
import { openClient } from '../api/client.ts';
import { aFile } from '../api/pictures.ts';
import { aPinpoint } from '../api/samples.ts';
import { type Application, bodyOf, openSession, tokenCall } from '../api/session.ts';
import { type Cluster, startCluster } from './setup/cluster.ts';

const startMs = 300_000;
const stopMs = 300_000;

describeOn(
  ['eventstore', 'kafka', 'mongodb', 'redis', 'tls', 'eventstoreTls', 'kafkaTls', 'kafkaTlsCredentials', 'mongodbTls', 'redisTls'],
  'A cluster that connects to every engine by TLS, with a user and a password',
  () => {
    const databases = { readModels: ownName('tls'), media: ownName('tls-media') };
    const directory = mkdtempSync(join(tmpdir(), 'waymark-tls-'));
    let cluster: Cluster;

    beforeAll(async () => {
      const [username = '', password = ''] = urlOf('kafkaTlsCredentials').split(':');
      const media = new URL(urlOf('mongodbTls'));
      media.pathname = databases.media;
      media.searchParams.set('authSource', 'admin');
      writeFileSync(join(directory, 'kafka-password'), password, { mode: 0o600 });
      cluster = await startCluster({
        WAYMARK_EVENTSTORE_URL: urlOf('eventstoreTls'),
        WAYMARK_KAFKA_BROKERS: urlOf('kafkaTls'),
        WAYMARK_KAFKA_TLS: 'on',
        WAYMARK_KAFKA_USERNAME: username,
        WAYMARK_KAFKA_PASSWORD_FILE: join(directory, 'kafka-password'),
        WAYMARK_MONGODB_URL: urlOf('mongodbTls'),
        WAYMARK_MONGODB_DATABASE: databases.readModels,
        WAYMARK_REDIS_URL: urlOf('redisTls'),
        WAYMARK_MEDIA_URL: `gridfs+${media.href}`,
        WAYMARK_TLS_CA_FILE: urlOf('tls'),
      });
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
