import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { notaryDirectory } from '@waymark/checkpoints/notary-directory.ts';
import { commandsSettings } from '@waymark/commands/settings.ts';
import { notaryProcessSettings } from '@waymark/notary/settings.ts';
import { operatorSettings } from '@waymark/operator/settings.ts';
import { gatewaySettings } from '@waymark/query-gateway/settings.ts';
import { clusterKeysIn } from '@waymark/runtime/private-files.ts';
import { patienceMs, useDesk } from './waymark.ts';

const names = ['cursor', 'edge', 'idempotency', 'notary', 'operator', 'request-id', 'signing', 'status'];
/** The settings that take the keys: schema and entry. */
const settings = [
  [operatorSettings.schema.properties.WAYMARK_OPS_TOKEN, 'operator'],
  [commandsSettings.schema.properties.WAYMARK_STATUS_TOKEN, 'status'],
  [gatewaySettings.schema.properties.WAYMARK_CURSOR_KEY, 'cursor'],
  [commandsSettings.schema.properties.WAYMARK_SIGNING_KEY, 'signing'],
  [commandsSettings.schema.properties.WAYMARK_IDEMPOTENCY_KEY, 'idempotency'],
  [commandsSettings.schema.properties.WAYMARK_REQUEST_ID_KEY, 'request-id'],
  [commandsSettings.schema.properties.WAYMARK_EDGE_KEY, 'edge'],
  [notaryProcessSettings.schema.properties.WAYMARK_NOTARY_KEY, 'notary'],
] as const;

type Secret = {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly stringData: Readonly<Record<string, string>>;
};

describe('waymark keys new', () => {
  const desk = useDesk();

  it(
    'prints a Secret whose entries are in the format of the settings, and differ each time',
    async () => {
      const [first, second] = await Promise.all([desk.run('keys', 'new'), desk.run('keys', 'new', '--name', 'other')]);
      const [one, other]: readonly Secret[] = [first, second].map(({ stdout }) => JSON.parse(stdout));
      expect(one).toMatchObject({ apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata: { name: 'waymark-keys' } });
      expect(other?.metadata.name).toBe('other');
      for (const secret of [one, other]) {
        expect(Object.keys(secret?.stringData ?? {}).sort()).toEqual(names);
        for (const [{ pattern }, name] of settings) expect(secret?.stringData[name]).toMatch(new RegExp(`${pattern}`));
      }
      expect(new Set([one, other].flatMap((secret) => Object.values(secret?.stringData ?? {}))).size).toBe(2 * names.length);
      expect(readdirSync(desk.directory)).toEqual([]);
    },
    patienceMs,
  );

  it(
    'refuses a name that Kubernetes refuses',
    async () => {
      expect(await desk.run('keys', 'new', '--name', 'Waymark_Keys')).toMatchObject({ code: 2, stdout: '' });
    },
    patienceMs,
  );

  it(
    'writes files for their owner only, and never overwrites one',
    async () => {
      const directory = join(desk.directory, 'secrets');
      const { files } = await desk.json<{ files: readonly string[] }>(['keys', 'new', '--files', directory]);
      expect(files).toHaveLength(names.length);
      expect(readdirSync(directory)).toEqual(names);
      expect(statSync(directory).mode & 0o777).toBe(0o700);
      const texts = names.map((name) => readFileSync(join(directory, name), 'utf8'));
      for (const name of names) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
      for (const [{ pattern }, name] of settings) expect(texts[names.indexOf(name)]?.trim()).toMatch(new RegExp(`${pattern}`));
      expect(await desk.run('keys', 'new', '--files', directory)).toMatchObject({
        code: 4,
        stdout: '',
        stderr: expect.stringContaining('is not overwritten'),
      });
      expect(names.map((name) => readFileSync(join(directory, name), 'utf8'))).toEqual(texts);
      // A file in the place of the directory, and a place where no directory can be made.
      for (const place of [join(directory, names[0] ?? ''), '/proc/waymark-keys']) {
        const ran = await desk.run('keys', 'new', '--files', place);
        expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('cannot be written to') });
      }
    },
    patienceMs,
  );
});

describe('waymark keys export', () => {
  const media = 's3+https://access:s%2Fcret@s3.example/bucket/files';
  const desk = useDesk({
    WAYMARK_EVENTSTORE_URL: 'esdb://waymark:hidden@eventstore:2113',
    WAYMARK_KAFKA_BROKERS: 'kafka:9092',
    WAYMARK_KAFKA_TOPIC: 'maps-events',
    WAYMARK_MONGODB_URL: 'mongodb://waymark:hidden@mongodb:27017',
    WAYMARK_REDIS_URL: 'redis://redis:6379',
    WAYMARK_REDIS_PREFIX: 'maps',
    WAYMARK_MEDIA_URL: media,
    WAYMARK_SIGNING_KEY: `${'n'.repeat(32)},${'o'.repeat(32)}`,
  });
  const values = join(desk.directory, 'values.yaml');

  it(
    'refuses where no cluster ran, and creates nothing',
    async () => {
      expect(await desk.run('keys', 'export')).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('WAYMARK_DATA_DIR') });
      clusterKeysIn(join(desk.directory, 'keys.json'));
      const before = readdirSync(desk.directory);
      expect(await desk.run('keys', 'export', '--values', values)).toMatchObject({
        code: 4,
        stdout: '',
        stderr: expect.stringContaining('WAYMARK_NOTARY_DIR'),
      });
      expect(readdirSync(desk.directory)).toEqual(before);
    },
    patienceMs,
  );

  it(
    'prints the keys that the cluster uses, and values without a secret',
    async () => {
      const keys = clusterKeysIn(join(desk.directory, 'keys.json'));
      const notary = notaryDirectory(join(desk.directory, 'notary'));
      const notaryKey = notary.key();
      notary.keepVerifierKeys(['waymark.example/id+00000000+key']);
      const secret = await desk.json<Secret>(['keys', 'export', '--name', 'maps-keys', '--values', values]);
      expect(secret.metadata.name).toBe('maps-keys');
      expect(Object.keys(secret.stringData).sort()).toEqual(names);
      expect(secret.stringData).toMatchObject({
        cursor: keys.cursors.join(','),
        idempotency: keys.idempotency,
        'request-id': keys.requestIds.join(','),
        signing: `${'n'.repeat(32)},${'o'.repeat(32)}`,
        notary: notaryKey,
      });
      const text = readFileSync(values, 'utf8');
      expect(JSON.parse(text)).toEqual({
        mode: 'cluster',
        keys: { existingSecret: 'maps-keys' },
        kafka: { topic: 'maps-events' },
        mongodb: { database: 'waymark' },
        redis: { prefix: 'maps' },
        media: { url: 's3+https://s3.example/bucket/files' },
      });
      expect(await desk.run('keys', 'export', '--values', values)).toMatchObject({ code: 4, stdout: '' });
      expect(readFileSync(values, 'utf8')).toBe(text);
    },
    patienceMs,
  );
});
