import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { inherited } from '../engines/environment.ts';
import { until } from './setup/until.ts';

const root = join(import.meta.dirname, '../..');
const startWithinMs = 300_000;
const key = 'k'.repeat(32);
const statusToken = 's'.repeat(32);
/** No server listens on these addresses. */
const settings = {
  WAYMARK_OPS_TOKEN: key,
  WAYMARK_STATUS_TOKEN: statusToken,
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

const paths = ['/readyz', '/servez', '/metrics', '/operator/figures', '/operator/status'];

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
      const statusOf = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<number | undefined> => {
        const asked = get({ port, path, agent: false, headers });
        const [answer] = (await once(asked, 'response')) as [IncomingMessage];
        answer.resume();
        return answer.statusCode;
      };
      const statusesFor = (token: string): Promise<readonly (number | undefined)[]> =>
        // Under a name of another site, which only a token opens.
        Promise.all(paths.map((path) => statusOf(path, { Authorization: `Bearer ${token}`, Host: 'elsewhere.example' })));
      try {
        await until('it lives', startWithinMs, async () => child.exitCode !== null || (await statusOf('/livez')) === 200);
        // The status token opens the figures, and nothing else.
        expect(await statusesFor(statusToken)).toEqual([503, 503, 200, 200, 401]);
        // Only the operator service knows the operator token.
        expect(await statusesFor(key)).toEqual(service === 'operator' ? [503, 503, 200, 200, 503] : Array(5).fill(421));
        expect(await statusesFor(`${statusToken}s`)).toEqual(Array(5).fill(421));
      } finally {
        child.kill('SIGTERM');
      }
      expect(await ended).toEqual([0, null]);
    });
  },
);
