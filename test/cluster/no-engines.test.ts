import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { inherited } from '../engines/environment.ts';
import { until } from './setup/until.ts';

const root = join(import.meta.dirname, '../..');
const startWithinMs = 300_000;
const key = 'k'.repeat(32);
/** No server listens on these addresses. */
const settings = {
  WAYMARK_OPS_TOKEN: key,
  WAYMARK_CURSOR_KEY: key,
  WAYMARK_SIGNING_KEY: key,
  WAYMARK_IDEMPOTENCY_KEY: key,
  WAYMARK_REQUEST_ID_KEY: key,
  WAYMARK_PUBLIC_URL: 'http://127.0.0.1:1',
  WAYMARK_EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false',
  WAYMARK_KAFKA_BROKERS: '127.0.0.1:1',
  WAYMARK_MONGODB_URL: 'mongodb://127.0.0.1:1',
  WAYMARK_REDIS_URL: 'redis://127.0.0.1:1',
  WAYMARK_MEDIA_URL: 's3+http://key:secret@127.0.0.1:1/media',
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
};

describe.each(['commands', 'query-gateway', 'auditor', 'auth', 'relay', 'projector', 'operator'])(
  'The %s service without its engines',
  (service) => {
    it('waits for them, answers on its operator port meanwhile, and ends on SIGTERM', async () => {
      const port = await freePort();
      const child = spawn(process.execPath, [`services/${service}/main.ts`], {
        cwd: root,
        env: { ...inherited, ...settings, WAYMARK_PORT: '0', WAYMARK_OPS_PORT: `${port}` },
        stdio: 'ignore',
      });
      const ended = once(child, 'exit');
      const statusOf = async (path: string): Promise<number> =>
        (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { Authorization: `Bearer ${key}`, Connection: 'close' } })).status;
      try {
        await until('it lives', startWithinMs, async () => child.exitCode !== null || (await statusOf('/livez')) === 200);
        expect(await Promise.all(['/readyz', '/metrics', '/operator/figures'].map(statusOf))).toEqual([503, 200, 200]);
      } finally {
        child.kill('SIGTERM');
      }
      expect(await ended).toEqual([0, null]);
    });
  },
);
