import { TokenStoreUnavailable } from '@waymark/access/tokens/token-store.ts';
import { AppendUndecided, LogUnavailable } from '@waymark/event-log/event-log.ts';
import { MediaUnavailable } from '@waymark/media/media.ts';
import { ReadModelsUnavailable } from '@waymark/read-models/read-models.ts';
import { pino } from 'pino';
import type { Answer } from './call.ts';
import { notFound, tooLarge, unavailable } from './errors.ts';
import { createRequestMetrics } from './metrics/request-metrics.ts';
import { createBudgets } from './request/budgets.ts';
import { createRequestIdHash } from './request-id-hash.ts';
import { createRequestLifecycle, type Exchange, type RequestLifecycleOptions } from './request-lifecycle.ts';
import { type Listening, listen } from './server/server.ts';
import { lastJson, sendRaw, statusesOf } from './testing/raw-http.ts';

type HandleExchange = (exchange: Exchange) => Promise<Answer>;

let open: Listening[] = [];
afterEach(async () => {
  await Promise.all(open.map(({ close }) => close(0)));
  open = [];
});

/** Starts a server with the request lifecycle, and collects what it logs and observes. */
const serve = async (work: HandleExchange, more: Partial<RequestLifecycleOptions> = {}) => {
  const lines: string[] = [];
  const observed: string[] = [];
  const lifecycle = createRequestLifecycle({
    corsOrigins: new Set(),
    observe: (method, route, status) => void observed.push(`${method} ${route} ${status}`),
    logger: pino({ level: 'debug' }, { write: (line) => void lines.push(line) }),
    closing: () => false,
    budgets: createBudgets(512 * 1024 * 1024),
    ...more,
  });
  const listening = await listen((request, response) => void lifecycle(request, response, '/things/:id', work), '127.0.0.1', 0);
  open = [...open, listening];
  const ask = (headers: string, method = 'GET'): Promise<string> =>
    sendRaw(listening.port, `${method} /things/7?secret=in-url HTTP/1.1\r\nConnection: close\r\n${headers}\r\n`).closed;
  return { ask, lines, observed, port: listening.port };
};

const ok = (): Promise<Answer> => Promise.resolve({ status: 200, body: '{}' });
const failing =
  (error: unknown): HandleExchange =>
  async () => {
    throw error;
  };

const header = (received: string, name: string): string | undefined => new RegExp(`\r\n${name}: ([^\r]*)`, 'i').exec(received)?.[1];

describe('a header that is allowed only once', () => {
  it.each([
    ['two hosts', 'Host: x\r\nHost: x\r\n'],
    ['two hosts in two spellings', 'Host: x\r\nHOST: y\r\n'],
    ['two tokens', 'Host: x\r\nAuthorization: Bearer a\r\nauthorization: Bearer b\r\n'],
    ['the same token twice', 'Host: x\r\nAuthorization: Bearer a\r\nAuthorization: Bearer a\r\n'],
  ])('is refused if it is repeated: %s', async (_, headers) => {
    const { ask } = await serve(ok);
    const received = await ask(headers);
    expect(statusesOf(received)).toEqual([400]);
    expect(lastJson(received)).toEqual({ detail: 'A header that may stand once was repeated.' });
  });

  it('is not confused with other headers', async () => {
    const { ask } = await serve(ok);
    expect(statusesOf(await ask('Host: x\r\nHosts: y\r\nX-Authorization: a\r\nX-Authorization: b\r\nAuthorization: c\r\n'))).toEqual([200]);
  });
});

describe('every response', () => {
  it('has the request id of the request', async () => {
    const { ask } = await serve(ok);
    expect(header(await ask('Host: x\r\nX-Request-Id: abc-1\r\n'), 'X-Request-Id')).toBe('abc-1');
    expect(header(await ask(`Host: x\r\nX-Request-Id: ${'a'.repeat(128)}\r\n`), 'X-Request-Id')).toBe('a'.repeat(128));
  });

  it.each([['none'], [''], ['a b'], ['a'.repeat(129)], ['\u00e9'], ['a\r\nX-Request-Id: b']])(
    'has a new request id if the request has no valid one: %j',
    async (id) => {
      const { ask } = await serve(ok);
      const received = await ask(id === 'none' ? 'Host: x\r\n' : `Host: x\r\nX-Request-Id: ${id}\r\n`);
      expect(header(received, 'X-Request-Id')).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    },
  );

  it('is private to one client, and is JSON with a length', async () => {
    const { ask } = await serve(ok);
    const received = await ask('Host: x\r\n');
    expect(header(received, 'Cache-Control')).toBe('private, no-cache');
    expect(header(received, 'Vary')).toBe('Authorization');
    expect(header(received, 'X-Content-Type-Options')).toBe('nosniff');
    expect(header(received, 'Content-Type')).toBe('application/json');
    expect(header(received, 'Content-Length')).toBe('2');
    expect(header(received, 'X-Powered-By')).toBeUndefined();
  });

  it.each([204, 304])('has no length if it has no body: %s', async (status) => {
    const { ask } = await serve(async () => ({ status, headers: { ETag: '"1"' } }));
    const received = await ask('Host: x\r\n');
    expect(statusesOf(received)).toEqual([status]);
    expect([header(received, 'Content-Length'), header(received, 'Content-Type'), header(received, 'ETag')]).toEqual([
      undefined,
      undefined,
      '"1"',
    ]);
  });

  it('may override the default headers', async () => {
    const headers = { 'Content-Type': 'image/png', 'Cache-Control': 'public, max-age=31536000, immutable' };
    const { ask } = await serve(async () => ({ status: 200, body: 'GIF', headers }));
    const received = await ask('Host: x\r\n');
    expect(received).toContain('Content-Type: image/png');
    expect(header(received, 'Cache-Control')).toBe(headers['Cache-Control']);
    expect(header(received, 'Content-Length')).toBe('3');
  });
});

describe('an error', () => {
  it('is sent unchanged if it is a problem', async () => {
    const { ask, lines } = await serve(failing(notFound()), { logger: pino({ level: 'silent' }) });
    const received = await ask('Host: x\r\n');
    expect(statusesOf(received)).toEqual([404]);
    expect(lastJson(received)).toEqual({ detail: 'Not found.' });
    expect(lines).toEqual([]);
  });

  it.each([
    new LogUnavailable('log at /data'),
    new ReadModelsUnavailable('models at /data'),
    new MediaUnavailable('media at /data'),
    new TokenStoreUnavailable('tokens at /data'),
  ])('is sent as 503 while a store is unavailable: %s', async (error) => {
    const { ask, lines } = await serve(failing(error));
    const received = await ask('Host: x\r\n');
    expect(statusesOf(received)).toEqual([503]);
    expect(lastJson(received)).toEqual({ detail: 'Temporarily unavailable.' });
    expect(header(received, 'Retry-After')).toBe('1');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 40, err: { message: error.message } });
  });

  it('is sent as 503 if the outcome of an append is unknown', async () => {
    const { ask } = await serve(failing(new AppendUndecided()));
    expect(lastJson(await ask('Host: x\r\n'))).toEqual({ detail: 'It is not known whether this was stored.' });
  });

  it.each([new Error('at /data/log.db'), new RangeError('x'), 'text', undefined, null, { status: 200 }])(
    'is sent as 500 without any detail: %s',
    async (error) => {
      const { ask, lines, observed } = await serve(failing(error));
      const received = await ask('Host: x\r\nX-Request-Id: abc\r\n');
      expect(statusesOf(received)).toEqual([500]);
      expect(lastJson(received)).toEqual({ detail: 'Internal server error.' });
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 50, request: 'abc', route: '/things/:id' });
      expect(observed).toEqual(['GET /things/:id 500']);
    },
  );
});

describe('a log line', () => {
  const hashRequestId = createRequestIdHash(['key']);
  const uuid = '0190a1c2-7b1e-7c3d-8a44-2f1e5d6c7b8a';

  it.each([
    ['abc', hashRequestId('abc')],
    [uuid, undefined],
    [uuid.toUpperCase(), undefined],
  ])('has the request id, and its hash if events have that instead: %s', async (id, requestHash) => {
    const { ask, lines } = await serve(failing(new Error('x')), { hashRequestId });
    await ask(`Host: x\r\nX-Request-Id: ${id}\r\n`);
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ request: id, ...(requestHash && { requestHash }) });
    expect(lines.some((line) => line.includes('requestHash'))).toBe(requestHash !== undefined);
  });

  it('has no hash in a process without the key', async () => {
    const { ask, lines } = await serve(ok);
    await ask('Host: x\r\nX-Request-Id: abc\r\n');
    expect(lines.map((line) => Object.keys(JSON.parse(line)))).toEqual([expect.not.arrayContaining(['requestHash'])]);
  });
});

describe('a body that is refused', () => {
  it('does not prevent its client from reading the response or sending another request', async () => {
    const { port } = await serve(async ({ request }) => {
      if (request.method === 'GET') return { status: 200, body: '{}' };
      throw tooLarge('Too large.');
    });
    const bytes = 20 * 1024 * 1024;
    const spoken = sendRaw(port, `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n`);
    for (let sent = 0; sent < bytes; sent += 1024 * 1024) {
      const all = spoken.socket.write(Buffer.alloc(1024 * 1024));
      if (!all) await new Promise((resolve) => spoken.socket.once('drain', resolve));
    }
    spoken.socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(statusesOf(await spoken.closed)).toEqual([413, 200]);
  });
});

describe('a client that has disconnected', () => {
  it('is recorded once, and causes no error', async () => {
    let gone = (_: unknown): void => undefined;
    const leaving = new Promise((resolve) => {
      gone = resolve;
    });
    const { port, observed } = await serve(async ({ response }) => {
      response.on('close', gone);
      await leaving;
      return { status: 200, body: '{}' };
    });
    const { socket } = sendRaw(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    setTimeout(() => socket.destroy(), 50);
    await leaving;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(observed).toEqual(['GET /things/:id 200']);
  });
});

describe('logs', () => {
  it('name request, account and application, and never a secret', async () => {
    const access = { account: 'account-1', application: 'app-1', token: 'token-id', scopes: ['read'] as const };
    const { ask, lines } = await serve(async (exchange) => {
      exchange.access = access;
      throw unavailable('away');
    });
    await ask('Host: x\r\nAuthorization: Bearer very-secret\r\nX-Request-Id: abc\r\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      request: 'abc',
      account: 'account-1',
      application: 'app-1',
      status: 503,
      method: 'GET',
    });
    expect(lines.join()).not.toMatch(/secret|authorization/i);
  });
});

describe('metrics', () => {
  it('count and time requests by method, route and status', async () => {
    const { observe, text: metrics } = createRequestMetrics();
    const { ask } = await serve(ok, { observe });
    await ask('Host: x\r\n');
    await ask('Host: x\r\n');
    observe('BREW', 'unknown', 404, 0.2);
    const text = metrics();
    expect(text).toContain('waymark_http_request_duration_seconds_count{method="GET",route="/things/:id",status="200"} 2');
    expect(text).toContain('waymark_http_request_duration_seconds_bucket{method="other",route="unknown",status="404",le="0.25"} 1');
  });
});
