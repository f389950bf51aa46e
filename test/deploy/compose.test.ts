import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { TObject } from '@sinclair/typebox';
import { auditorSettings } from '@waymark/auditor/settings.ts';
import { authSettings } from '@waymark/auth/settings.ts';
import { commandsSettings } from '@waymark/commands/settings.ts';
import { release } from '@waymark/domain/release.ts';
import { edgeSettings } from '@waymark/edge/settings.ts';
import { notaryProcessSettings } from '@waymark/notary/settings.ts';
import { operatorSettings } from '@waymark/operator/settings.ts';
import { projectorSettings } from '@waymark/projector/settings.ts';
import { gatewaySettings } from '@waymark/query-gateway/settings.ts';
import { relaySettings } from '@waymark/relay/settings.ts';
import { readSettings, type SettingsSpec } from '@waymark/runtime/settings.ts';
import { settingsFrom } from '@waymark/standalone/settings.ts';
import { parse } from 'yaml';
import { inherited } from '../engines/environment.ts';
import { recipeOf } from '../engines/images.ts';

const deploy = join(import.meta.dirname, '../../deploy');

type Environment = Readonly<Record<string, string>>;
type Service = {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Environment;
  readonly secrets?: readonly { readonly source: string }[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly networks?: Readonly<Record<string, unknown>>;
  readonly ports?: readonly unknown[];
  readonly healthcheck?: object;
  readonly mem_limit?: string;
  readonly user?: string;
  readonly read_only?: boolean;
  readonly restart?: string;
};
type Composition = {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks?: Readonly<Record<string, { readonly internal?: boolean }>>;
  readonly secrets?: Readonly<Record<string, { readonly file: string }>>;
};

/** Declares tests that need Debian's docker-compose. No Docker daemon is asked. */
const describeWithCompose = (title: string, body: () => void): void => {
  if (spawnSync('docker-compose', ['version'], { stdio: 'ignore' }).status === 0) describe(title, body);
  else describe.skip(`${title} (left out: needs docker-compose)`, body);
};

/** Returns a file as docker-compose understands it.
 * @throws if it is not valid */
const composed = (file: string, settings: Environment = {}): Composition => {
  const env = { ...inherited, ...settings };
  const text = execFileSync('docker-compose', ['--file', join(deploy, file), 'config'], { encoding: 'utf8', env });
  return parse(text);
};

/** Returns the environment with values in place of files. */
const withSecrets = (environment: Environment): Environment =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name.replace(/_FILE$/, ''), name.endsWith('_FILE') ? keyOf(name) : value]),
  );
const keyOf = (name: string): string => (name.startsWith('WAYMARK_NOTARY_KEY') ? `${'A'.repeat(43)}=` : name.padEnd(40, '_'));

/** Returns how a service reads its settings, and their names. */
const accepted = <Schema extends TObject>(name: string, spec: SettingsSpec<Schema>) =>
  [
    name,
    { read: (environment: Environment): object => readSettings(spec, environment), names: Object.keys(spec.schema.properties) },
  ] as const;
/** Read by commands that run in the container, and by Node itself. */
const notOfServices: ReadonlySet<string> = new Set(['WAYMARK_OPS_URL', 'TMPDIR']);

const withoutTag = (image: string): string => image.replace(/:[^:]*$/, '');

describeWithCompose('deploy/compose.yaml', () => {
  it('runs one server, with settings that it accepts', () => {
    const { services } = composed('compose.yaml');
    expect(Object.keys(services)).toEqual(['waymark']);
    const { environment = {}, image, command } = services['waymark'] as Service;
    expect([image, command]).toEqual([`waymark:${release}`, ['standalone']]);
    expect(settingsFrom(environment)).toMatchObject({ WAYMARK_DATA_DIR: '/var/lib/waymark', WAYMARK_PORT: 8080 });
  });

  it('publishes the API on loopback, or where a setting says, and keeps the operator API inside', () => {
    const portsOf = (settings: Environment) => composed('compose.yaml', settings).services['waymark']?.ports;
    expect(portsOf({})).toEqual(['127.0.0.1:8080:8080/tcp']);
    expect(portsOf({ WAYMARK_PUBLISH: '0.0.0.0:80' })).toEqual(['0.0.0.0:80:8080/tcp']);
    expect(composed('compose.yaml').services['waymark']?.environment).toMatchObject({ WAYMARK_OPS_HOST: '127.0.0.1' });
  });
});

describeWithCompose('deploy/compose.cluster.yaml', () => {
  let all: Composition;
  let services: Composition['services'];
  beforeAll(() => {
    all = composed('compose.cluster.yaml');
    services = all.services;
  });
  const serviceOf = (name: string): Service => services[name] as Service;
  const own = () => Object.entries(services).filter(([, { image }]) => withoutTag(image).startsWith('waymark'));

  it.each([
    accepted('commands', commandsSettings),
    accepted('query-gateway', gatewaySettings),
    accepted('auditor', auditorSettings),
    accepted('auth', authSettings),
    accepted('relay', relaySettings),
    accepted('projector', projectorSettings),
    accepted('notary', notaryProcessSettings),
    accepted('operator', operatorSettings),
    accepted('edge', edgeSettings),
  ])('gives %s settings that it accepts, and no others', (name, { read, names }) => {
    const { environment = {}, command } = serviceOf(name);
    expect(command).toEqual([name]);
    const given = withSecrets(environment);
    expect(() => read(given)).not.toThrow();
    expect(Object.keys(given).filter((setting) => !names.includes(setting) && !notOfServices.has(setting))).toEqual([]);
  });

  it('gives each service the secrets that its settings name, and no other', () => {
    for (const [name, { environment = {}, secrets = [] }] of own()) {
      const named = Object.values(environment).flatMap((value) => value.match(/^\/run\/secrets\/(.*)$/)?.[1] ?? []);
      expect([name, secrets.map(({ source }) => source).sort()]).toEqual([name, named.sort()]);
    }
    expect(
      own()
        .filter(([, { secrets = [] }]) => secrets.some(({ source }) => source === 'notary'))
        .map(([name]) => name),
    ).toEqual(['notary']);
    const keys = ['cursor', 'edge', 'idempotency', 'notary', 'operator', 'request-id', 'signing', 'status'];
    expect(Object.keys(all.secrets ?? {}).sort()).toEqual(keys);
  });

  it('passes no secret in an environment, and takes the keys from the directory that a setting names', () => {
    for (const [, { environment = {} }] of own())
      for (const [name, value] of Object.entries(environment)) if (/KEY|TOKEN/.test(name)) expect(value).toMatch(/^\/run\/secrets\//);
    const { secrets = {} } = composed('compose.cluster.yaml', { WAYMARK_KEYS: '/etc/waymark/keys' });
    for (const [name, { file }] of Object.entries(secrets)) expect(file).toBe(`/etc/waymark/keys/${name}`);
  });

  it('uses the versions of the engines that the tests use', () => {
    const place = { host: '', port: 0 };
    const used = (['eventstore', 'kafka', 'mongodb', 'redis'] as const).map((engine) => recipeOf(engine, place).image);
    expect(['eventstore', 'kafka', 'mongodb', 'redis'].map((name) => serviceOf(name).image)).toEqual(used);
    expect(serviceOf('mongodb-replica-set').image).toBe(serviceOf('mongodb').image);
    for (const [name, { image }] of own()) expect([name, image]).toEqual([name, `waymark${name === 'edge' ? '-edge' : ''}:${release}`]);
  });

  it('starts services after their engines respond, and the edge after its services do', () => {
    for (const [name, { depends_on: after = {} }] of own()) {
      const expected =
        name === 'edge' ? ['auditor', 'auth', 'commands', 'query-gateway'] : ['eventstore', 'kafka', 'mongodb-replica-set', 'redis'];
      expect([name, Object.keys(after).sort()]).toEqual([name, expected]);
      for (const [other, { condition }] of Object.entries(after))
        expect([other, condition]).toEqual([other, other === 'mongodb-replica-set' ? 'service_completed_successfully' : 'service_healthy']);
    }
  });

  it('checks the health of everything that keeps running, and limits the memory of everything', () => {
    for (const [name, { healthcheck, mem_limit: limit, restart }] of Object.entries(services)) {
      expect([name, typeof limit]).toEqual([name, 'string']);
      expect([name, healthcheck !== undefined, restart]).toEqual(
        name === 'mongodb-replica-set' ? [name, false, 'no'] : [name, true, 'unless-stopped'],
      );
    }
    for (const [name, { user, read_only: isReadOnly }] of own()) expect([name, user, isReadOnly]).toEqual([name, '10001:0', true]);
  });

  it('lets clients reach the edge alone, and the edge no engine', () => {
    expect(Object.entries(services).flatMap(([name, { ports = [] }]) => (ports.length > 0 ? [name] : []))).toEqual(['edge']);
    expect(all.networks).toMatchObject({ engines: { internal: true }, services: { internal: true } });
    expect(Object.keys(serviceOf('edge').networks ?? {}).sort()).toEqual(['clients', 'services']);
    const addresses = Object.entries(serviceOf('edge').environment ?? {}).flatMap(([name, value]) =>
      /^WAYMARK_EDGE_(?!DIR|KEY)/.test(name) ? [value] : [],
    );
    expect(addresses).toHaveLength(8);
    for (const address of addresses) {
      const [name = '', port] = address.split(':');
      expect([name, Object.keys(serviceOf(name).networks ?? {})]).toEqual([name, expect.arrayContaining(['services'])]);
      expect(serviceOf(name).environment?.['WAYMARK_PORT']).toBe(port);
    }
  });

  it('tells the operator service of every other process', () => {
    const expected = own().flatMap(([name]) => (name === 'edge' || name === 'operator' ? [] : [`${name}=http://${name}:8081`]));
    expect((serviceOf('operator').environment?.['WAYMARK_SERVICES'] ?? '').split(',').sort()).toEqual(expected.sort());
  });
});
