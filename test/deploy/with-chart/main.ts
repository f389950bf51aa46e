#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newKeys } from '@waymark/cli/keys/keys.ts';
import { secretManifest } from '@waymark/cli/keys/manifests.ts';
import { stringify } from 'yaml';
import { notaryKey } from '../../api/evidence.ts';
import { chart, type Values } from '../helm.ts';
import { helmOnNode, kubectl } from '../node.ts';
import { replicatedServices } from '../replicas.ts';
import { createVolume } from '../volumes.ts';
import { startEngines } from './engines.ts';

// Runs tests, those of the chart and of the API unless others are named, while a cluster runs on a node of Kubernetes, as the chart installs it, with
// engines in the node's network. The tests run there, too, and call the API through the edge.
//
//   WAYMARK_TEST_IMAGE_FILES=IMAGES.tar .ci/node npm run test:deploy
//   WAYMARK_TEST_IMAGE_FILES=IMAGES.tar .ci/node npm run test:deploy -- test/deploy/installation/rolling

const { WAYMARK_NODE_CONTROL: node, WAYMARK_ENGINES_CONTROL: engineControl } = process.env;
if (!node || !engineControl)
  throw new Error('WAYMARK_NODE_CONTROL and WAYMARK_ENGINES_CONTROL must name a node and engines: see test/README.md');
const named = process.argv.slice(2);
const tests = named.length > 0 ? named : ['/test/deploy/', '/test/api/'];
const namespace = 'waymark-test';
const release = 'maps';
const edgePort = 30_080;
const url = `http://127.0.0.1:${edgePort}`;
const installWithin = '180s';

const restricted = Object.fromEntries(['enforce', 'warn'].map((mode) => [`pod-security.kubernetes.io/${mode}`, 'restricted']));

const create = (object: object): Promise<unknown> => kubectl(['create', '-f', '-'], JSON.stringify(object));

const secret = (name: string, entries: Readonly<Record<string, string>>): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace },
  stringData: entries,
});

const install = async (values: Values): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-chart-'));
  const file = join(directory, 'values.yaml');
  writeFileSync(file, stringify(values, { version: '1.1' }));
  try {
    await helmOnNode(['install', release, chart, '--namespace', namespace, '--values', file, '--wait', '--timeout', installWithin]);
  } finally {
    rmSync(directory, { recursive: true });
  }
};

/** The values of a service: one replica, which requests six tenths of what the chart requests by default, because an upgrade starts pods beside those
 * that it replaces, all on one small node. */
const one = (cpu: string): Values => ({ replicas: 1, resources: { requests: { cpu } } });

const oneReplicaEach: Values = {
  ...Object.fromEntries(replicatedServices.map((service) => [service, one('30m')])),
  commands: one('75m'),
  projector: one('75m'),
  queryGateway: one('150m'),
};

/** Returns values of a cluster whose processes record, sign and publish at once. */
const valuesFor = (engines: Readonly<Record<string, string>>): Values => ({
  mode: 'cluster',
  image: { repository: 'waymark' },
  publicUrl: url,
  service: { type: 'NodePort', nodePort: edgePort },
  keys: { existingSecret: 'waymark-keys' },
  eventStore: { url: engines['WAYMARK_EVENTSTORE_URL'] },
  kafka: { brokers: engines['WAYMARK_KAFKA_BROKERS'] },
  mongodb: { url: engines['WAYMARK_MONGODB_URL'] },
  redis: { url: engines['WAYMARK_REDIS_URL'] },
  media: { existingSecret: 'engines', entries: { url: 'media' } },
  defaults: { resources: { requests: { cpu: '30m' } } },
  // An auditor limits the streams that an application may open: the tests of the API know of one auditor. Two of each service would share two
  // cores with the tests.
  ...oneReplicaEach,
  notary: { checkpointsTo: { existingSecret: 'engines', entry: 'checkpoints' } },
  settings: { WAYMARK_RATE_LIMITS: 'off', WAYMARK_REFUSALS_SECONDS: 1, WAYMARK_NOTARY_SECONDS: 1 },
});

const operatorUrl = async (): Promise<string> => {
  const { stdout } = await kubectl(['-n', namespace, 'get', `service/${release}-waymark-operator`, '-o', 'jsonpath={.spec.clusterIP}']);
  return `http://${stdout}:8081`;
};

/** Runs the tests in the node's network. Returns their exit code. */
const run = async (token: string): Promise<number> => {
  const child = spawn(node, ['run', 'npm', 'test', '--', '--silent', '--maxWorkers=3', ...tests], {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...engines.settings,
      ENGINES_HOST: engines.host,
      WAYMARK_TEST_INSTALLATION: `${namespace}/${release}`,
      WAYMARK_TEST_FORM: 'cluster',
      WAYMARK_TEST_URL: url,
      WAYMARK_TEST_OPS_URL: await operatorUrl(),
      WAYMARK_TEST_OPS_TOKEN: token,
    },
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (ended) => resolve(ended ?? 1));
  });
};

/** Removes what an earlier run left on the same node, and waits until it is gone: its pods may still be ending. */
const removeEarlier = async (): Promise<void> => {
  await kubectl(['delete', 'namespace', namespace, '--ignore-not-found']);
  await kubectl(['delete', 'pv', 'notary', '--ignore-not-found']);
};

/** All clusters on one event store sign for one installation: with one key, and into one place. */
const keys = { ...newKeys(), notary: notaryKey.toString('base64') };
const engines = startEngines(node, engineControl);
try {
  await removeEarlier();
  await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: restricted } });
  await create({ ...secretManifest('waymark-keys', keys), metadata: { name: 'waymark-keys', namespace } });
  const { WAYMARK_MEDIA_URL: media = '' } = engines.settings;
  await create(secret('engines', { media, checkpoints: `${media}/checkpoints` }));
  await createVolume('notary', { namespace, name: `data-${release}-waymark-notary-0` });
  await install(valuesFor(engines.settings));
  process.stderr.write(await helmOnNode(['test', release, '--namespace', namespace, '--timeout', installWithin]));
  process.exitCode = await run(keys.operator);
} catch (error) {
  const { stdout } = await kubectl(['-n', namespace, 'get', 'pods,events']);
  process.stderr.write(stdout);
  throw error;
} finally {
  await helmOnNode(['uninstall', release, '--namespace', namespace, '--ignore-not-found']);
  engines.stop();
}
