import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { inherited } from '../engines/environment.ts';

const root = join(import.meta.dirname, '../..');
const endWithinMs = 300_000;

type Ended = { readonly code: number | null; readonly said: string };

/** Runs a service with only the given environment, until it ends. */
const run = (service: string, environment: Readonly<Record<string, string>>): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [`services/${service}/main.ts`], {
      cwd: root,
      env: { ...inherited, ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: endWithinMs,
    });
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    child.once('error', reject);
    child.once('exit', (code) => resolve({ code, said }));
  });

const key = 'k'.repeat(32);
/** The settings that each service requires. No server listens on these addresses. */
const needed = {
  WAYMARK_OPS_TOKEN: key,
  WAYMARK_STATUS_TOKEN: key,
  WAYMARK_CURSOR_KEY: key,
  WAYMARK_SIGNING_KEY: key,
  WAYMARK_IDEMPOTENCY_KEY: key,
  WAYMARK_REQUEST_ID_KEY: key,
  WAYMARK_PUBLIC_URL: 'http://127.0.0.1:1',
  WAYMARK_EVENTSTORE_URL: 'esdb://user:hush-hush@127.0.0.1:1?tls=false',
  WAYMARK_KAFKA_BROKERS: '127.0.0.1:1',
  WAYMARK_MONGODB_URL: 'mongodb://127.0.0.1:1',
  WAYMARK_REDIS_URL: 'redis://127.0.0.1:1',
  WAYMARK_MEDIA_URL: 's3+http://key:hush-hush@127.0.0.1:1/media',
} as const;
type Name = keyof typeof needed;

const services: Readonly<Record<string, readonly Name[]>> = {
  commands: [
    'WAYMARK_STATUS_TOKEN',
    'WAYMARK_SIGNING_KEY',
    'WAYMARK_IDEMPOTENCY_KEY',
    'WAYMARK_REQUEST_ID_KEY',
    'WAYMARK_PUBLIC_URL',
    'WAYMARK_EVENTSTORE_URL',
    'WAYMARK_MONGODB_URL',
    'WAYMARK_REDIS_URL',
    'WAYMARK_MEDIA_URL',
  ],
  'query-gateway': [
    'WAYMARK_STATUS_TOKEN',
    'WAYMARK_SIGNING_KEY',
    'WAYMARK_CURSOR_KEY',
    'WAYMARK_REQUEST_ID_KEY',
    'WAYMARK_PUBLIC_URL',
    'WAYMARK_EVENTSTORE_URL',
    'WAYMARK_MONGODB_URL',
    'WAYMARK_REDIS_URL',
    'WAYMARK_MEDIA_URL',
  ],
  auditor: [
    'WAYMARK_STATUS_TOKEN',
    'WAYMARK_SIGNING_KEY',
    'WAYMARK_CURSOR_KEY',
    'WAYMARK_REQUEST_ID_KEY',
    'WAYMARK_PUBLIC_URL',
    'WAYMARK_EVENTSTORE_URL',
    'WAYMARK_MONGODB_URL',
    'WAYMARK_REDIS_URL',
  ],
  auth: [
    'WAYMARK_STATUS_TOKEN',
    'WAYMARK_SIGNING_KEY',
    'WAYMARK_REQUEST_ID_KEY',
    'WAYMARK_PUBLIC_URL',
    'WAYMARK_EVENTSTORE_URL',
    'WAYMARK_MONGODB_URL',
    'WAYMARK_REDIS_URL',
  ],
  relay: ['WAYMARK_STATUS_TOKEN', 'WAYMARK_SIGNING_KEY', 'WAYMARK_EVENTSTORE_URL', 'WAYMARK_KAFKA_BROKERS', 'WAYMARK_REDIS_URL'],
  projector: [
    'WAYMARK_STATUS_TOKEN',
    'WAYMARK_SIGNING_KEY',
    'WAYMARK_EVENTSTORE_URL',
    'WAYMARK_KAFKA_BROKERS',
    'WAYMARK_MONGODB_URL',
    'WAYMARK_REDIS_URL',
  ],
  operator: [
    'WAYMARK_STATUS_TOKEN',
    'WAYMARK_OPS_TOKEN',
    'WAYMARK_SIGNING_KEY',
    'WAYMARK_REQUEST_ID_KEY',
    'WAYMARK_PUBLIC_URL',
    'WAYMARK_EVENTSTORE_URL',
    'WAYMARK_KAFKA_BROKERS',
    'WAYMARK_MONGODB_URL',
    'WAYMARK_REDIS_URL',
    'WAYMARK_MEDIA_URL',
  ],
  cluster: ['WAYMARK_EVENTSTORE_URL', 'WAYMARK_KAFKA_BROKERS', 'WAYMARK_MONGODB_URL', 'WAYMARK_REDIS_URL', 'WAYMARK_MEDIA_URL'],
};

describe.each(Object.entries(services))('The %s service', (service, names) => {
  it(
    'names all missing settings in one message, and ends with 2',
    async () => {
      const { code, said } = await run(service, {});
      expect(code).toBe(2);
      for (const name of names) expect(said).toContain(`${name}: must be set`);
      expect(said.match(/must be set/g)).toHaveLength(names.length);
    },
    endWithinMs,
  );

  it(
    'does not print the secrets in its settings',
    async () => {
      const [missing, ...others] = names;
      const { code, said } = await run(service, Object.fromEntries(others.map((name) => [name, needed[name]])));
      expect(code).toBe(2);
      expect(said).toContain(`${missing}: must be set`);
      expect(said).not.toContain('hush-hush');
    },
    endWithinMs,
  );
});
