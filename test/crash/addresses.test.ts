import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { addressRequestsMax } from '@waymark/http/limits.ts';
import { aList } from '../api/samples.ts';
import { basic, tokenCall } from '../api/session.ts';
import { rawConnection } from '../performance/attacks/connections.ts';
import { newSession, type Server } from './server.ts';
import { useCrashServers } from './test-servers.ts';
import { until } from './until.ts';

const connectionsMax = 8;
const attackers = 200;
const answeredWithinMs = 5_000;

const ground = useCrashServers();

const started = (settings: Readonly<Record<string, string>>): Promise<Server> =>
  ground.start(ground.directory(), { settings: { WAYMARK_RATE_LIMITS: 'on', ...settings } });

/** Opens a connection and sends only these bytes. */
const hold = async ({ url }: Server, bytes: string): Promise<Socket> => {
  const socket = await rawConnection(url, { reads: true, from: '127.0.0.1' });
  socket.write(bytes);
  return socket;
};

const lines = (server: Server, message: RegExp): readonly Record<string, unknown>[] =>
  server
    .printed()
    .split('\n')
    .filter((line) => message.test(line))
    .map((line) => JSON.parse(line));

describe('many connections from one address', () => {
  it('do not block other addresses, or a known client at the same address', async () => {
    const server = await started({ WAYMARK_ADDRESS_CONNECTIONS: `${connectionsMax}` });
    const session = await newSession(server);
    const list = await session.create('/lists', aList());
    const sockets: Socket[] = [];
    for (let nth = 0; nth < attackers; nth += 1) {
      sockets.push(await hold(server, nth % 2 === 0 ? '' : 'GET /v3.0/lists HTTP/1.1\r\nHost: x\r\nA: '));
    }
    await until(() => sockets.filter(({ closed }) => !closed).length <= connectionsMax);
    expect((await session.get(`/lists/${list.id}`)).status).toBe(200);
    const other = await server.client.send({ method: 'GET', path: '/openapi.json', from: '127.0.0.2' });
    expect(other.status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });
});

describe('token requests from one address that never complete', () => {
  it('do not block a known client at the same address, or other addresses', async () => {
    const server = await started({});
    const session = await newSession(server);
    const { application } = session;
    const unknown = { ...application, client_id: 'nobody-at-all' };
    const half =
      'POST /v3.0/oauth2/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 99\r\n\r\n';
    const sockets = await Promise.all(Array.from({ length: addressRequestsMax }, () => hold(server, half)));
    const statusFrom = async (from: string, credentials: typeof application): Promise<number> =>
      (await server.client.send({ ...tokenCall(credentials), from })).status;
    const answerToHalf = async (): Promise<string> => {
      const late = await hold(server, half);
      sockets.push(late);
      const [answer] = await Promise.race([once(late, 'data'), pause(answeredWithinMs, [''], { ref: false })]);
      return String(answer);
    };
    // The server may not have read the last of these requests yet. In that case this request counts as one of them.
    await until(async () => /^HTTP\/1\.1 429 .*retry-after: \d+/is.test(await answerToHalf()));
    expect(await statusFrom('127.0.0.1', unknown)).toBe(429);
    expect(await statusFrom('127.0.0.1', application)).toBe(200);
    expect(await statusFrom('127.0.0.2', unknown)).toBe(401);
    for (const socket of sockets) socket.destroy();
  });
});

describe('a failed authentication', () => {
  it('is logged at the default level and counted, without secret or token', async () => {
    const server = await started({});
    const { application, get } = await newSession(server);
    const guess = (client_id: string) =>
      server.client.send({
        ...tokenCall(application),
        headers: {
          'Content-Type': 'application/x-www-form-urlencoded',
          Authorization: basic({ client_id, client_secret: 'hush-secret' }),
        },
        body: 'grant_type=client_credentials',
      });
    await guess(application.client_id);
    await guess('nobody-at-all');
    await server.client.send({ method: 'GET', path: '/v3.0/lists', headers: { Authorization: 'Bearer hush-token' } });
    expect((await get('/lists')).status).toBe(200);
    await until(() => lines(server, /not authenticated/).length === 3);
    const token = { level: 30, endpoint: 'token', route: '/v3.0/oauth2/token', address: '127.0.0.1' };
    const [wrong, unknown, bearer] = lines(server, /not authenticated/);
    expect(wrong).toMatchObject({ ...token, reason: 'wrong-secret', client: application.client_id });
    expect(unknown).toMatchObject({ ...token, reason: 'unknown-client' });
    expect(unknown).not.toHaveProperty('client');
    expect(bearer).toMatchObject({ level: 30, endpoint: 'bearer', route: '/lists', address: '127.0.0.1', reason: 'unknown-token' });
    expect(server.printed()).not.toMatch(/hush|nobody-at-all/);
    const metrics = await (await fetch(`${server.operatorUrl}/metrics`)).text();
    expect(metrics).toContain('waymark_authentication_failures_total{endpoint="token",reason="wrong-secret"} 1');
    expect(metrics).toContain('waymark_authentication_failures_total{endpoint="bearer",reason="unknown-token"} 1');
  });
});

describe('X-Forwarded-For from a private address', () => {
  it('causes one warning, which names the setting', async () => {
    const server = await started({});
    const { get } = await newSession(server);
    for (let nth = 0; nth < 3; nth += 1) {
      await server.client.send({ method: 'GET', path: '/openapi.json', headers: { 'X-Forwarded-For': `203.0.113.${nth}` } });
    }
    await get('/lists');
    await until(() => lines(server, /WAYMARK_TRUSTED_PROXIES/).length > 0);
    expect(lines(server, /WAYMARK_TRUSTED_PROXIES/)).toEqual([expect.objectContaining({ level: 40, peer: '127.0.0.1' })]);
  });
});

describe('the operator port of an installation', () => {
  it('answers requests for an unknown host name only with the operator token', async () => {
    const server = await started({ WAYMARK_OPS_NAMES: 'ops.example' });
    const { port } = new URL(server.operatorUrl);
    const statusFor = async (path: string, host: string, authorization = ''): Promise<string> => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${authorization}Connection: close\r\n\r\n`);
      let heard = '';
      for await (const chunk of socket) heard += chunk;
      return heard.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length);
    };
    expect(await statusFor('/metrics', 'evil.example')).toBe('421');
    expect(await statusFor('/readyz', 'ops.example:8081')).toBe('200');
    expect(await statusFor('/livez', '127.0.0.1')).toBe('200');
    expect(await statusFor('/operator/status', 'evil.example', `Authorization: Bearer ${server.operatorToken}\r\n`)).toBe('200');
  });
});
