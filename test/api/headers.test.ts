import { type Answer, inFlight } from './client.ts';
import { aList, aPinpoint, make, members, unknownId } from './samples.ts';
import { idsOf } from './session.ts';
import { describeWith, useTarget } from './target.ts';

const waymark = useTarget();

const origin = 'https://map.example';
const corsHeaders = (answer: Answer): string[] => Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));
const listed = (value: unknown): string[] =>
  String(value ?? '')
    .toLowerCase()
    .split(/,\s*/);

describe('X-Request-Id:', () => {
  it.each(['abc-123', '0190a1c2-7b1e-7c3d-8a44-2f1e5d6c7b8a', 'a.b:c_d~e'])('is echoed: %s', async (id) => {
    const me = await waymark.account();
    const answers = [
      await me.get('/lists', { 'X-Request-Id': id }),
      await me.post('/lists', aList(), { 'X-Request-Id': id }),
      await me.post('/lists', {}, { 'X-Request-Id': id }),
      await waymark.send({ method: 'GET', path: '/v3.0/lists', headers: { 'X-Request-Id': id } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 400, 401]);
    for (const { headers } of answers) expect(headers['x-request-id']).toBe(id);
  });

  it('is generated where none was sent, a new one for each request', async () => {
    const me = await waymark.account();
    const ids = [(await me.get('/lists')).headers['x-request-id'], (await me.get('/lists')).headers['x-request-id']];
    for (const id of ids) expect(id).toMatch(/^[\x21-\x7e]{8,}$/);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('is not echoed where it is not a valid id', async () => {
    const me = await waymark.account();
    const answer = await me.get('/lists', { 'X-Request-Id': 'x'.repeat(4_000) });
    expect(answer.status).toBeLessThan(500);
    expect((answer.headers['x-request-id'] ?? '').length).toBeLessThan(4_000);
  });
});

describe('JSON answers:', () => {
  it('are private, must be revalidated, and vary with the token', async () => {
    const me = await waymark.account();
    const { id } = await make(me, 'lists');
    const answers = [
      await me.get('/lists'),
      await me.get(`/lists/${id}`),
      await me.get(`/lists/${unknownId}`),
      await me.get('/pinpoints?list=x'),
      await me.post('/lists', aList()),
      await me.post('/lists', {}),
      await me.put(`/lists/${id}`, aList()),
      await me.post(`/lists/${id}/pinpoints`, []),
      await waymark.send({ method: 'GET', path: '/v3.0/lists' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 400, 201, 400, 200, 200, 401]);
    for (const { headers } of answers) {
      expect(headers['content-type']).toMatch(/^application\/json(; ?charset=utf-8)?$/i);
      expect(headers['cache-control']).toBe('private, no-cache');
      expect(listed(headers.vary)).toContain('authorization');
    }
  });

  it('do not identify the server software', async () => {
    const me = await waymark.account();
    const { headers } = await me.get('/lists');
    expect(headers).not.toHaveProperty('x-powered-by');
    expect(headers).not.toHaveProperty('server');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });
});

describe('OPTIONS:', () => {
  it.each([
    ['/lists', ['get', 'post']],
    ['/lists/1', ['delete', 'get', 'put']],
    ['/lists/1/pinpoints', ['delete', 'post']],
    ['/categories/1', ['get', 'put']],
    ['/oauth2/token', ['post']],
  ])('needs no token: 204 with Allow on %s', async (path, allowed) => {
    const answer = await waymark.send({ method: 'OPTIONS', path: `/v3.0${path}` });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(
      listed(answer.headers.allow)
        .filter((name) => name !== 'head' && name !== 'options')
        .sort(),
    ).toEqual(allowed);
  });
});

describe('HEAD:', () => {
  it('answers like GET, without the body', async () => {
    const me = await waymark.account();
    const { id } = await make(me, 'lists');
    for (const path of ['/lists', `/lists/${id}`, `/lists/${unknownId}`]) {
      const [head, got] = [await me.send('HEAD', path), await me.get(path)];
      expect([head.status, head.text]).toEqual([got.status, '']);
      expect(head.headers['content-type']).toBe(got.headers['content-type']);
      expect(head.headers['content-length'] ?? got.headers['content-length']).toBe(got.headers['content-length']);
    }
  });
});

describe('A 2xx on a write:', () => {
  it('means that every later read sees the write', async () => {
    const me = await waymark.account();
    const list = (await make(me, 'lists')).id;
    await inFlight(8, Array.from({ length: 64 }), async () => {
      const { id } = await me.create('/pinpoints', aPinpoint());
      expect(idsOf(await me.page('/pinpoints?limit=500'))).toContain(id);
      await me.post(`/lists/${list}/pinpoints`, members(id));
      expect(idsOf(await me.page(`/pinpoints?list=${list}&limit=500`))).toContain(id);
      await me.put(`/pinpoints/${id}`, aPinpoint({ name: 'Renamed' }));
      expect(await me.read(`/pinpoints/${id}`)).toMatchObject({ name: 'Renamed' });
      await me.delete(`/pinpoints/${id}`);
      expect((await me.get(`/pinpoints/${id}`)).status).toBe(404);
      expect(idsOf(await me.page(`/pinpoints?list=${list}&limit=500`))).not.toContain(id);
    });
  });
});

describe('Everything else:', () => {
  it.each(['/audit', '/import', '/openapi.json', '/health', '/livez', '/readyz', '/metrics', '/history', '/lists/1/history'])(
    'is outside /v3.0: %s',
    async (path) => {
      const me = await waymark.account();
      expect((await me.get(path)).status).toBe(404);
    },
  );

  it.each(['/operator/status', '/metrics', '/livez'])('the public port serves nothing for operators: %s', async (path) => {
    const answer = await waymark.send({ method: 'GET', path });
    expect([401, 404]).toContain(answer.status);
  });
});

describe('CORS:', () => {
  it('is off by default', async () => {
    const me = await waymark.account();
    expect(corsHeaders(await me.get('/lists', { Origin: origin }))).toEqual([]);
    const preflight = { Origin: origin, 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'authorization' };
    expect(corsHeaders(await waymark.send({ method: 'OPTIONS', path: '/v3.0/lists', headers: preflight }))).toEqual([]);
  });
});

describeWith('CORS: with origins,', { WAYMARK_CORS_ORIGINS: `${origin},https://other.example` }, (server) => {
  it.each([origin, 'https://other.example'])('%s is allowed, also on errors', async (from) => {
    const me = await server.account();
    for (const answer of [await me.get('/lists', { Origin: from }), await me.post('/lists', {}, { Origin: from })]) {
      expect(answer.headers['access-control-allow-origin']).toBe(from);
      expect(listed(answer.headers.vary)).toEqual(expect.arrayContaining(['origin', 'authorization']));
    }
  });

  it.each(['https://evil.example', 'https://map.example.evil.example', 'http://map.example', 'https://map.example:8443', 'null'])(
    '%s is not allowed',
    async (from) => {
      const me = await server.account();
      const answer = await me.get('/lists', { Origin: from });
      expect(answer.status).toBe(200);
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    },
  );

  it('a preflight request needs no token', async () => {
    const headers = {
      Origin: origin,
      'Access-Control-Request-Method': 'PUT',
      'Access-Control-Request-Headers': 'authorization,content-type,if-match,idempotency-key',
    };
    const answer = await server.send({ method: 'OPTIONS', path: '/v3.0/lists/1', headers });
    expect(answer.status).toBe(204);
    expect(answer.headers['access-control-allow-origin']).toBe(origin);
    expect(listed(answer.headers['access-control-allow-methods'])).toContain('put');
    expect(listed(answer.headers['access-control-allow-headers'])).toEqual(
      expect.arrayContaining(['authorization', 'content-type', 'if-match', 'idempotency-key']),
    );
  });

  it('a page may read the headers that the contract adds', async () => {
    const me = await server.account();
    const answer = await me.get('/lists', { Origin: origin });
    expect(listed(answer.headers['access-control-expose-headers'])).toEqual(
      expect.arrayContaining(['etag', 'x-request-id', 'retry-after']),
    );
  });
});
