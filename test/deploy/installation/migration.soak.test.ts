import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { randomKey } from '@waymark/runtime/private-files.ts';
import { urlOf } from '@waymark/test-engines/test-engines.ts';
import { openClient } from '../../api/client.ts';
import { aPinpoint } from '../../api/samples.ts';
import { type Application, bodyOf, idsOf, openSession, type Page, tokenCall } from '../../api/session.ts';
import { outcome, spawnWaymark } from '../../cli/waymark.ts';
import { type Cluster, engineSettings, newPlace, type ServedCluster, servedCluster, startCluster } from '../../cluster/setup/cluster.ts';
import { notaryOfTests } from '../../cluster/setup/shared-notary.ts';
import { signingKey } from '../../cluster/setup/signing-key.ts';
import { trial } from '../../cluster/setup/trial.ts';
import { seededRun } from '../../crash/random.ts';
import { chart } from '../helm.ts';
import { inNamespace, kubectl, useNamespace } from '../node.ts';
import { useOwnEventStore } from '../own-event-store.ts';
import { replicatedServices } from '../replicas.ts';
import { createVolume } from '../volumes.ts';
import { describeOnInstallation, refusedInChanges, underLoad } from './installation.ts';

jest.setTimeout(1_800_000);

const port = 30_082;
const url = `http://127.0.0.1:${port}`;
const slowness = 3;
const within = '300s';

/** While two whole clusters run on one machine, more requests may be asked to retry than while one is changed. */
const whileTwoRun = { refuses: refusedInChanges, refusedShareMax: 0.01 };

describeOnInstallation('A cluster of the release before', () => {
  const namespace = useNamespace();
  const eventStore = useOwnEventStore();
  const place = newPlace();
  const secrets = { WAYMARK_OPS_TOKEN: randomKey(), WAYMARK_STATUS_TOKEN: randomKey() };
  let before: Cluster;
  let isRunning = false;

  const { helm, onNode } = inNamespace(namespace);

  beforeAll(async () => {
    // Helpers of the tests read this log, too.
    process.env['WAYMARK_EVENTSTORE_URL'] = eventStore;
    before = await startCluster(secrets, place, { checkout: urlOf('releaseBefore') });
    isRunning = true;
  });
  afterAll(async () => {
    await helm('uninstall', 'moved', '--ignore-not-found');
    await kubectl(['delete', 'pv', 'moved', '--ignore-not-found', '--wait=false']);
    if (isRunning) await before.stop();
    rmSync(place.directory, { recursive: true, force: true });
  });

  /** Writes the keys as a Secret, and returns the file with the values for the chart. */
  const takeKeys = async (): Promise<string> => {
    const values = join(place.directory, 'values.yaml');
    const environment = { ...engineSettings(place.own), ...notaryOfTests(), ...secrets, WAYMARK_SIGNING_KEY: signingKey };
    const exported = await outcome(
      spawnWaymark(place.directory, { ...environment, WAYMARK_DATA_DIR: place.directory }, ['keys', 'export', '--values', values]),
    );
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    await kubectl(['-n', namespace, 'create', '-f', '-'], exported.stdout);
    return values;
  };

  /** Installs the chart beside the cluster. */
  const install = async (): Promise<void> => {
    const values = await takeKeys();
    const { WAYMARK_MEDIA_URL = '' } = process.env;
    await onNode('create', 'secret', 'generic', 'engines', `--from-literal=media=${WAYMARK_MEDIA_URL}`);
    await createVolume('moved', { namespace, name: 'data-moved-waymark-notary-0' });
    const given = [
      'image.repository=waymark',
      `publicUrl=${url}`,
      'service.type=NodePort',
      `service.nodePort=${port}`,
      'defaults.resources.requests.cpu=10m',
      `eventStore.url=${eventStore}`,
      `kafka.brokers=${urlOf('kafka')}`,
      `mongodb.url=${urlOf('mongodb')}`,
      `redis.url=${urlOf('redis')}`,
      'media.url=',
      'media.existingSecret=engines',
      'media.entries.url=media',
      'settings.WAYMARK_RATE_LIMITS=off',
      'settings.WAYMARK_REFUSALS_SECONDS=1',
      'settings.WAYMARK_NOTARY_SECONDS=1',
      // The old cluster and the new one share this machine.
      ...replicatedServices.map((service) => `${service}.replicas=1`),
    ].flatMap((value) => ['--set', value]);
    await helm('install', 'moved', chart, '--values', values, ...given, '--wait', '--timeout', within);
  };

  const moved = async (): Promise<ServedCluster> => {
    const address = await onNode('get', 'service/moved-waymark-operator', '-o', 'jsonpath={.spec.clusterIP}');
    const at = { url, operatorUrl: `http://${address}:8081`, operatorToken: secrets.WAYMARK_OPS_TOKEN };
    return servedCluster({ ...at, slowness, printed: () => '' });
  };

  it('moves to the chart under load; its tokens, its cursors and its repeated requests stay valid', async () => {
    const order = { account: 'moving', name: 'test/deploy', scopes: ['read', 'write'] };
    const application = bodyOf<Application>(await before.operator('POST', '/applications', order), 201);
    const client = openClient(before.url);
    const { access_token: token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
    const there = openSession(client.send, application, token);
    const ids: number[] = [];
    for (const name of ['a', 'b', 'c']) ids.push((await there.create('/pinpoints', aPinpoint({ name }))).id);
    const key = { 'Idempotency-Key': randomKey() };
    const first = await there.post('/lists', { name: 'once' }, key);
    const page: Page = await there.page('/pinpoints?limit=2');
    client.close();

    await seededRun(async (random) => void (await trial(before, underLoad({ ...whileTwoRun, strike: install }), [0], random)));

    const here = openClient(url);
    const me = openSession(here.send, application, token);
    const expectTaken = async (): Promise<void> => {
      expect(idsOf(await me.page(page.next ?? ''))).toEqual(ids.slice(2));
      const again = await me.post('/lists', { name: 'once' }, key);
      expect([again.status, again.body]).toEqual([first.status, first.body]);
    };
    await expectTaken();
    const stopBefore = async (): Promise<void> => {
      isRunning = false;
      await before.pause();
    };
    const later = await moved();
    await seededRun(async (random) => void (await trial(later, underLoad({ ...whileTwoRun, strike: stopBefore }), [0], random)));
    await expectTaken();
    here.close();
  });
});
