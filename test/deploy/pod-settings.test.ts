import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '@waymark/runtime/settings.ts';
import { cluster, describeWithHelm, render, standalone } from './helm.ts';
import { environmentOf, type Pod, podNamed, podsOf } from './pods.ts';
import { chartServices } from './values/services.ts';

const key = 'k'.repeat(40);
const samples: Readonly<Record<string, string>> = {
  WAYMARK_EVENTSTORE_URL: 'esdb://user:secret@eventstore:2113?tls=true',
  WAYMARK_MONGODB_URL: 'mongodb://user:secret@mongodb:27017/?replicaSet=rs0',
  WAYMARK_NOTARY_KEY: `${'t'.repeat(43)}=`,
  WAYMARK_CHECKPOINTS_TO: 's3+https://key:secret@s3.example/checkpoints',
};

describeWithHelm('A service starts with the environment of its pod', () => {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-pod-settings-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  /** Returns the environment of a pod, with files of this machine in place of those of the pod. */
  const onThisMachine = (pod: Pod): Record<string, string> =>
    Object.fromEntries(
      Object.entries(environmentOf(pod)).map(([name, value]) => {
        if (!name.endsWith('_FILE')) return [name, value];
        const file = join(directory, name);
        writeFileSync(file, samples[name.slice(0, -'_FILE'.length)] ?? key);
        return [name, file];
      }),
    );

  /** Reads the settings of a pod as its service does. */
  const settingsOf = (pod: Pod): Readonly<Record<string, unknown>> => {
    const service = Object.values(chartServices).find(({ name }) => name === pod.container.args[0]);
    if (service === undefined) throw new Error(`${pod.name} runs no service`);
    const { schema, secrets } = service;
    return readSettings({ schema, secrets }, onThisMachine(pod));
  };

  it.each([
    ['standalone', standalone],
    ['cluster', { ...cluster, notary: { checkpointsTo: { existingSecret: 'place', entry: 'url' } } }],
  ])('%s', async (_, values) => {
    for (const pod of podsOf(await render(values))) {
      if (pod.container.name === 'test') continue;
      expect(settingsOf(pod)).toMatchObject({ WAYMARK_DRAIN_SECONDS: 10 });
    }
  });

  it('with the settings of all services, and with its own, which count more', async () => {
    const objects = await render({
      ...cluster,
      settings: { WAYMARK_LOG_LEVEL: 'warn', WAYMARK_READ_WAIT_MS: 1_000_000_000 / 50_000, WAYMARK_RATE_LIMITS: false },
      commands: { settings: { WAYMARK_LOG_LEVEL: 'debug' } },
    });
    expect(settingsOf(podNamed(objects, 'maps-waymark-commands'))).toMatchObject({
      WAYMARK_LOG_LEVEL: 'debug',
      WAYMARK_READ_WAIT_MS: 20_000,
      WAYMARK_RATE_LIMITS: 'off',
    });
    expect(settingsOf(podNamed(objects, 'maps-waymark-commands-audit'))).toMatchObject({
      WAYMARK_LOG_LEVEL: 'warn',
      WAYMARK_RESOURCES: 'audit',
    });
    expect(environmentOf(podNamed(objects, 'maps-waymark-relay'))).not.toHaveProperty('WAYMARK_READ_WAIT_MS');
  });

  it('with its own settings, also if they are off, 0 or empty', async () => {
    const objects = await render({
      ...cluster,
      settings: {
        WAYMARK_RATE_LIMITS: true,
        WAYMARK_READ_WAIT_MS: 5_000,
        WAYMARK_CORS_ORIGINS: 'https://x.example',
        WAYMARK_STOP_SECONDS: 99,
      },
      commands: { settings: { WAYMARK_RATE_LIMITS: false, WAYMARK_READ_WAIT_MS: 0, WAYMARK_CORS_ORIGINS: '', WAYMARK_STOP_SECONDS: 0 } },
    });
    const commands = podNamed(objects, 'maps-waymark-commands');
    const off = { WAYMARK_RATE_LIMITS: 'off', WAYMARK_READ_WAIT_MS: 0, WAYMARK_CORS_ORIGINS: '', WAYMARK_STOP_SECONDS: 0 };
    expect(settingsOf(commands)).toMatchObject(off);
    expect(commands.spec.terminationGracePeriodSeconds).toBe(10 + 9 + 10);
    expect(settingsOf(podNamed(objects, 'maps-waymark-commands-audit'))).toMatchObject({
      WAYMARK_RATE_LIMITS: 'on',
      WAYMARK_STOP_SECONDS: 99,
    });
  });

  it('with the namespace and the release as its names in the engines, cut to what an engine accepts', async () => {
    const names = async (release: string, namespace: string): Promise<readonly unknown[]> => {
      const projector = podsOf(await render(cluster, { release, namespace })).find(({ name }) => name.endsWith('-projector'));
      if (projector === undefined) throw new Error('no projector');
      expect(projector.name.length).toBeLessThanOrEqual(63);
      const settings = settingsOf(projector);
      return ['WAYMARK_KAFKA_TOPIC', 'WAYMARK_MONGODB_DATABASE', 'WAYMARK_REDIS_PREFIX'].map((name) => settings[name]);
    };
    expect(await names('maps', 'city')).toEqual(['city_maps', 'city_maps', 'city_maps']);
    const [topic, ...short] = await names('r'.repeat(50), 'n'.repeat(60));
    expect(topic).toBe(`${'n'.repeat(60)}_${'r'.repeat(50)}`);
    for (const name of short) expect(name).toMatch(/^n{51}-[0-9a-f]{8}$/);
    const [, other] = await names('r'.repeat(49), 'n'.repeat(60));
    expect(other).not.toBe(short[0]);
  });
});
