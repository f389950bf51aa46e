// Long because it covers the order of checks from the first to the last.

import { pino } from 'pino';
import type { Access } from './access.ts';
import { type Endpoint, fullPath, methodScopes, type Path, paths } from './api/endpoints.ts';
import { type AppOptions, createApp, createOpenApp } from './app.ts';
import { idOf } from './call.ts';
import { invalidToken, notAuthenticated, throttled } from './errors.ts';
import { createBudgets } from './request/budgets.ts';
import { type Listening, listen } from './server/server.ts';
import { lastJson, sendRaw, statusesOf } from './testing/raw-http.ts';

const scopesOf: Readonly<Record<string, Access['scopes']>> = {
  'Bearer reader': ['read'],
  'Bearer writer': ['write'],
  'Bearer auditor': ['audit'],
  'Bearer all': ['write', 'read', 'audit'],
  'Bearer busy': ['read'],
};

let taken: string[] = [];

const lifecycle = {
  corsOrigins: new Set<string>(),
  observe: () => undefined,
  logger: pino({ level: 'silent' }),
  closing: () => false,
  budgets: createBudgets(0),
};

const options: AppOptions = {
  ...lifecycle,
  authenticate: (authorization) => {
    if (authorization === undefined) throw notAuthenticated();
    const scopes = scopesOf[authorization];
    if (scopes === undefined) throw invalidToken();
    return { account: 'a', application: authorization, token: 't', scopes };
  },
  rateLimit: {
    take: async (key) => {
      taken.push(key);
      if (key === 'Bearer busy') throw throttled(7);
    },
  },
  routes: {
    'GET /lists': async ({ url, access }) => ({ status: 200, body: JSON.stringify({ url, access }) }),
    'POST /lists': async () => ({ status: 201, body: '{}' }),
    'GET /lists/:id': async (call) => ({ status: 200, body: JSON.stringify({ id: idOf(call) }) }),
    'DELETE /lists/:id': async () => ({ status: 204 }),
  },
  openRoutes: [
    { method: 'GET', path: '/media/:name', handle: async ({ parameters }) => ({ status: 200, body: JSON.stringify(parameters) }) },
    { method: 'POST', path: '/v3.0/oauth2/token', handle: async () => ({ status: 200, body: '{}' }) },
  ],
};

let api: Listening;
beforeAll(async () => {
  api = await listen(createApp(options), '127.0.0.1', 0);
});
afterAll(() => api.close(0));
beforeEach(() => {
  taken = [];
});

type Received = { readonly status: number; readonly body: unknown; readonly headers: Headers };

const ask = async (method: string, path: string, token?: string): Promise<Received> => {
  const answer = await fetch(`${api.url}${path}`, { method, headers: token === undefined ? {} : { Authorization: `Bearer ${token}` } });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text), headers: answer.headers };
};

const statusOf = async (method: string, path: string, token?: string): Promise<number> => (await ask(method, path, token)).status;

describe('the checks', () => {
  it.each([
    ['GET', '/v3.0/lists'],
    ['PATCH', '/v3.0/lists'],
    ['GET', '/v3.0/nothing'],
    ['GET', '/v3.0/'],
    ['GET', '/v3.0?x'],
    ['GET', '/v3.0/lists/%zz'],
    ['POST', '/v3.0/lists/1/2'],
    ['DELETE', '/v3.0/lists/abc'],
  ])('begin with 401: %s %s', async (method, path) => {
    expect(await statusOf(method, path)).toBe(401);
    expect(await statusOf(method, path, 'unknown')).toBe(401);
  });

  it.each([
    '/v3.0/nothing',
    '/v3.0',
    '/v3.0/',
    '/v3.0/Lists',
    '/v3.0/lists/1/2',
    '/v3.0//lists',
    '/v3.0/lists/%zz',
    '/v3.0/constructor',
    '/v3.0/%6Cists',
  ])('then answer 404 for an unknown path: %s', async (path) => {
    expect(await ask('PATCH', path, 'reader')).toMatchObject({ status: 404, body: { detail: 'Not found.' } });
  });

  it('then answer 405, with the allowed methods', async () => {
    const response = await ask('PATCH', '/v3.0/lists/abc', 'reader');
    expect(response).toMatchObject({ status: 405, body: { detail: 'Method "PATCH" not allowed.' } });
    expect(response.headers.get('allow')).toBe('GET, HEAD, PUT, DELETE, OPTIONS');
  });

  it('then answer 403 for a missing scope, and do not count the request', async () => {
    expect(await ask('DELETE', '/v3.0/lists/abc', 'reader')).toMatchObject({
      status: 403,
      body: { detail: 'You do not have permission to perform this action.' },
    });
    expect(await statusOf('HEAD', '/v3.0/lists', 'writer')).toBe(403);
    expect(taken).toEqual([]);
  });

  it('then answer 429, counted by application', async () => {
    const response = await ask('GET', '/v3.0/lists/abc', 'busy');
    expect(response).toMatchObject({ status: 429, body: { detail: 'Request was throttled.' } });
    expect(response.headers.get('retry-after')).toBe('7');
    expect(taken).toEqual(['Bearer busy']);
  });

  it('then return the response of the service', async () => {
    expect(await statusOf('GET', '/v3.0/lists/abc', 'reader')).toBe(404);
    expect(await ask('GET', '/v3.0/lists/7', 'reader')).toMatchObject({ status: 200, body: { id: 7 } });
    expect(taken).toEqual(['Bearer reader', 'Bearer reader']);
  });

  const methodsOf = (path: Path) =>
    Object.entries(methodScopes(path)).map(([method, needed = []]) => ({ method, path, needed, scopes: needed.join(' and ') }));
  it.each(paths.flatMap(methodsOf))(
    'for $method $path require $scopes, and answer 421 where another service has the endpoint',
    async ({ method, path, needed }) => {
      const at = fullPath(path).replaceAll(/:\w+/g, '1');
      const insufficient = Object.entries(scopesOf).filter(([, scopes]) => !needed.every((scope) => scopes.includes(scope)));
      expect(insufficient.length).toBeGreaterThan(1);
      for (const [authorization] of insufficient) expect(await statusOf(method, at, authorization.slice('Bearer '.length))).toBe(403);
      const answered = options.routes[`${method} ${path}` as Endpoint] !== undefined;
      expect((await statusOf(method, at, 'all')) === 421).toBe(!answered);
    },
  );
});

describe('a path', () => {
  it('may end with a slash', async () => {
    expect(await statusOf('GET', '/v3.0/lists/', 'reader')).toBe(200);
    expect(await ask('GET', '/v3.0/lists/7/?x=1', 'reader')).toMatchObject({ status: 200, body: { id: 7 } });
  });

  it.each(['0', '-1', '01', '1.0', '1e3', '+1', '%201', '1%2F2', '9007199254740992', '99999999999999999999', 'abc', '%00', '٣'])(
    'identifies no object by %s',
    async (id) => {
      expect(await ask('GET', `/v3.0/lists/${id}`, 'reader')).toMatchObject({ status: 404, body: { detail: 'Not found.' } });
    },
  );

  it('identifies an object by any safe integer', async () => {
    expect(await ask('GET', '/v3.0/lists/9007199254740991', 'reader')).toMatchObject({ body: { id: 9_007_199_254_740_991 } });
  });

  it('is passed on with its query as sent', async () => {
    expect(await ask('GET', '/v3.0/lists?a=1&a=2&__proto__=3', 'reader')).toMatchObject({
      body: { url: '/v3.0/lists?a=1&a=2&__proto__=3', access: { account: 'a' } },
    });
  });

  it('may be an absolute URL', async () => {
    const get = (url: string, headers = ''): Promise<string> =>
      sendRaw(api.port, `GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`).closed;
    expect(await get('http://x/v3.0/lists?a=1', 'Authorization: Bearer reader\r\n')).toContain('"url":"/v3.0/lists?a=1"');
    expect(statusesOf(await get('http://x/v3.0/nothing'))).toEqual([401]);
    for (const scheme of ['HTTPS', 'ftp']) expect(statusesOf(await get(`${scheme}://x/v3.0/nothing`))).toEqual([401]);
    for (const other of ['http://x/nothing', 'http://x', 'http://x?/v3.0/', '*']) expect(statusesOf(await get(other))).toEqual([404]);
    for (const scheme of ['http', 'ftp']) expect(await get(`${scheme}://x/audit/v1/activity`)).toContain('Cache-Control: no-store\r\n');
  });
});

describe('HEAD', () => {
  it('is GET without a body', async () => {
    const received = await sendRaw(
      api.port,
      'HEAD /v3.0/lists/7 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer reader\r\n\r\n',
    ).closed;
    expect(statusesOf(received)).toEqual([200]);
    expect(received).toMatch(/content-length: 8\r\n/i);
    expect(received).toMatch(/\r\n\r\n$/);
  });
});

describe('OPTIONS', () => {
  it.each([
    ['/v3.0/lists', 'GET, HEAD, POST, OPTIONS'],
    ['/v3.0/categories/x', 'GET, HEAD, PUT, OPTIONS'],
    ['/v3.0/oauth2/token', 'POST, OPTIONS'],
    ['/media/x', 'GET, HEAD, OPTIONS'],
  ])('needs no token: %s', async (path, allow) => {
    const response = await ask('OPTIONS', path);
    expect(response).toMatchObject({ status: 204, body: undefined });
    expect(response.headers.get('allow')).toBe(allow);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('an open route', () => {
  it('needs no token, and is not limited by application', async () => {
    expect(await ask('GET', '/media/a.png')).toMatchObject({ status: 200, body: { name: 'a.png' } });
    expect(await statusOf('HEAD', '/media/a.png')).toBe(200);
    expect(await statusOf('POST', '/v3.0/oauth2/token/')).toBe(200);
    expect(taken).toEqual([]);
  });

  it('accepts only its own methods', async () => {
    const response = await ask('GET', '/v3.0/oauth2/token', 'reader');
    expect(response).toMatchObject({ status: 405, body: { detail: 'Method "GET" not allowed.' } });
    expect(response.headers.get('allow')).toBe('POST, OPTIONS');
  });

  it.each(['/', '/nothing', '/media/', '/media/a/b', '/V3.0/lists', '/v3.00', '/%zz', '//v3.0/lists'])(
    'does not exist at %s',
    async (path) => {
      expect(await ask('GET', path)).toMatchObject({ status: 404, body: { detail: 'Not found.' } });
    },
  );
});

describe('the application for operators', () => {
  it('serves its own routes, each path with all of its methods, and no other', async () => {
    const answering = (text: string) => async () => ({ status: 200, body: JSON.stringify(text) });
    const ops = await listen(
      createOpenApp(lifecycle, [
        { method: 'GET', path: '/things', handle: answering('got') },
        { method: 'POST', path: '/things', handle: answering('posted') },
        {
          method: 'DELETE',
          path: '/things/:id/parts/:part',
          handle: async ({ parameters }) => ({ status: 200, body: JSON.stringify(parameters) }),
        },
      ]),
      '127.0.0.1',
      0,
    );
    const response = async (method: string, path: string): Promise<unknown> => (await fetch(`${ops.url}${path}`, { method })).json();
    expect(await response('GET', '/things')).toBe('got');
    expect(await response('POST', '/things')).toBe('posted');
    expect(await response('PUT', '/things')).toEqual({ detail: 'Method "PUT" not allowed.' });
    expect(await response('DELETE', '/things/1/parts/2')).toEqual({ id: '1', part: '2' });
    expect(await response('GET', '/v3.0/lists')).toEqual({ detail: 'Not found.' });
    await ops.close(0);
  });
});

describe('an uncommon method', () => {
  it.each(['TRACE', 'QUERY', 'PROPFIND', 'LINK'])('is not allowed: %s', async (method) => {
    const received = await sendRaw(
      api.port,
      `${method} /v3.0/lists HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer all\r\n\r\n`,
    ).closed;
    expect(statusesOf(received)).toEqual([405]);
    expect(lastJson(received)).toEqual({ detail: `Method "${method}" not allowed.` });
  });
});
