import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { chart, cluster, describeWithHelm, type Rendering, render, renderText, standalone, type Values } from './helm.ts';
import { environmentOf, podNamed } from './pods.ts';

const refusal = async (values: Values, rendering?: Rendering): Promise<string> => {
  try {
    await renderText(values, rendering);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
};

describeWithHelm('Values are refused, and named:', () => {
  it.each<readonly [string, Values, string]>([
    ['an unknown value', { ...standalone, replicaCount: 2 }, 'replicaCount'],
    ['an unknown value of a service', { ...cluster, relay: { autoscaling: { enabled: true } } }, 'autoscaling'],
    ['an unknown setting', { ...cluster, auth: { settings: { WAYMARK_NEVER: 'x' } } }, 'WAYMARK_NEVER'],
    ['a setting that the service does not read', { ...cluster, relay: { settings: { WAYMARK_READ_WAIT_MS: 5 } } }, 'WAYMARK_READ_WAIT_MS'],
    ['a setting that the chart gives', { ...cluster, settings: { WAYMARK_OPS_PORT: 9 } }, 'WAYMARK_OPS_PORT'],
    ['a setting out of its bounds', { ...cluster, settings: { WAYMARK_READ_WAIT_MS: 90_000 } }, 'WAYMARK_READ_WAIT_MS'],
    ['a setting of another type', { ...cluster, commands: { settings: { WAYMARK_READ_WAIT_MS: 'long' } } }, 'WAYMARK_READ_WAIT_MS'],
    [
      'a setting with another word',
      { ...cluster, queryGateway: { settings: { WAYMARK_GATEWAY_CACHE: 'maybe' } } },
      'WAYMARK_GATEWAY_CACHE',
    ],
    ['a pattern that does not fit', { ...cluster, kafka: { ...cluster.kafka, brokers: 'no port' } }, 'brokers'],
    ['another mode', { ...standalone, mode: 'both' }, 'mode'],
    ['more projectors than partitions', { ...cluster, projector: { replicas: 13 } }, 'projector'],
    ['a second notary', { ...cluster, notary: { replicas: 2 } }, 'notary'],
    ['a secret in the environment', { ...cluster, relay: { extraEnv: [{ name: 'WAYMARK_OPS_TOKEN', value: 'x' }] } }, 'extraEnv'],
    ['a password as a value', { ...cluster, kafka: { ...cluster.kafka, password: 'x' } }, 'password'],
    ['no image', {}, 'image.repository: it must be set'],
    ['an address with credentials', { ...cluster, redis: { url: 'redis://:secret@redis:6379' } }, 'redis.url: it has credentials'],
    ['a Secret without entries', { ...cluster, redis: { ...cluster.redis, existingSecret: 'redis' } }, 'redis.entries'],
    ['entries without a Secret', { ...cluster, eventStore: { entries: { url: 'x' } } }, 'eventStore.existingSecret'],
    [
      'a field twice',
      { ...cluster, mongodb: { ...cluster.mongodb, url: 'mongodb://mongodb' } },
      'mongodb.url: mongodb.entries.url gives it, too',
    ],
    [
      'a request of memory that is not its limit',
      { ...cluster, auth: { resources: { requests: { memory: '1Gi' } } } },
      'auth.resources.requests.memory',
    ],
    [
      'fewer pods at most than there are',
      { ...cluster, auth: { replicas: 5, autoscaling: { enabled: true, maxReplicas: 4 } } },
      'auth.autoscaling.maxReplicas',
    ],
    [
      'two places of checkpoints',
      { ...cluster, notary: { checkpointsTo: { url: 'https://x/', existingClaim: 'y' } } },
      'notary.checkpointsTo',
    ],
    ['network policies without peers', { ...cluster, networkPolicy: { enabled: true } }, 'networkPolicy.engines.kafka.to: it must be set'],
    ['a name that no object may have', { ...standalone, nameOverride: 'Way_Mark' }, 'fullnameOverride: it must be set'],
    ['a name that no label may have', { ...standalone, fullnameOverride: 'maps', nameOverride: 'way mark' }, 'nameOverride'],
    ['an image with a tag in its name', { image: { repository: 'registry.example/waymark:0.6.0' } }, 'repository'],
    ['an image with a digest in its name', { image: { repository: `registry.example/waymark@sha256:${'a'.repeat(64)}` } }, 'repository'],
    ['a store of files that Waymark cannot use', { ...cluster, media: { url: 'ftp://files.example/bucket' } }, 'media'],
    ['a port of nodes without a type that has it', { ...standalone, service: { nodePort: 30_080 } }, 'service.nodePort'],
    [
      'a traffic policy without a type that has it',
      { ...standalone, service: { externalTrafficPolicy: 'Local' } },
      'service.externalTrafficPolicy',
    ],
    ['a route without a gateway', { ...standalone, httpRoute: { enabled: true } }, 'httpRoute.parentRefs'],
  ])('%s', async (_, values, named) => {
    expect(await refusal(values)).toContain(named);
  });

  it('a release whose Services would begin with a digit, without a name of their own', async () => {
    expect(await refusal(standalone, { release: '1maps' })).toContain('1maps-waymark is no name of a Service');
    await renderText({ ...standalone, fullnameOverride: 'maps' }, { release: '1maps' });
  });

  it('but not a registry with a port, and not a Service with a port on the nodes', async () => {
    const objects = await render({
      image: { repository: 'registry.example:5000/waymark' },
      service: { type: 'NodePort', nodePort: 30_080 },
    });
    expect(podNamed(objects, 'maps-waymark-standalone').container.image).toMatch(/^registry\.example:5000\/waymark:/);
  });

  it('everything that a cluster lacks, at once', async () => {
    const message = await refusal({ ...standalone, mode: 'cluster' });
    for (const name of ['keys.existingSecret', 'publicUrl', 'eventStore.url', 'kafka.brokers', 'mongodb.url', 'redis.url', 'media.url'])
      expect(message).toContain(name);
  });

  it('in a parent chart, whose global values and condition are accepted', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'waymark-parent-'));
    try {
      mkdirSync(join(parent, 'charts'));
      const dependency = { name: 'waymark', version: '*', repository: `file://${chart}`, condition: 'waymark.enabled' };
      writeFileSync(
        join(parent, 'Chart.yaml'),
        stringify({ apiVersion: 'v2', name: 'parent', version: '1.0.0', dependencies: [dependency] }),
      );
      cpSync(chart, join(parent, 'charts/waymark'), { recursive: true });
      const values = { global: { region: 'north' }, waymark: { enabled: true, ...cluster } };
      const objects = await render(values, { of: parent });
      expect(environmentOf(podNamed(objects, 'maps-waymark-auth'))).toMatchObject({ WAYMARK_PUBLIC_URL: 'https://maps.example' });
      expect(await refusal({ waymark: { ...cluster, never: 1 } }, { of: parent })).toContain('never');
    } finally {
      rmSync(parent, { recursive: true });
    }
  });
});
