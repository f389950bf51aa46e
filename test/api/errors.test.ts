import { type Answer, faults, statusAndBody } from './client.ts';
import { quotedMessages } from './documents.ts';
import { aList, anEvent, aPinpoint, type Fields, make, resourceNamed } from './samples.ts';
import { formCall, type Session } from './session.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

const json = { 'Content-Type': 'application/json' };

const postText = (me: Session, path: string, body: string): Promise<Answer> => me.send('POST', path, { headers: json, body });

describe('400:', () => {
  it('reports all faulty fields at once', async () => {
    const me = await waymark.account();
    const body = {
      name: '',
      latitude: 91,
      longitude: '7',
      altitude: 1e9,
      category: 'x',
      address: 7,
      description: 'x'.repeat(100_001),
      media_credits: [],
    };
    expect(statusAndBody(await me.post('/pinpoints', body))).toEqual({
      status: 400,
      body: {
        name: ['This field may not be blank.'],
        latitude: ['Ensure this value is less than or equal to 90.'],
        longitude: ['A valid number is required.'],
        altitude: ['Ensure this value is less than or equal to 1000000.'],
        category: ['A valid integer is required.'],
        address: ['Not a valid string.'],
        description: ['Ensure this field has no more than 100000 characters.'],
        media_credits: ['Not a valid string.'],
      },
    });
  });

  it('reports errors in the same nesting as the input', async () => {
    const me = await waymark.account();
    const body = await resourceNamed('events').body(me, { dates: [{ start: 'x' }], media_file: { name: 7 }, tags: ['ok', ''] });
    const answer = await me.post('/events', body);
    expect(faults(answer)).toEqual(['dates', 'media_file', 'tags']);
    expect(answer.body).toMatchObject({
      media_file: { content: ['This field is required.'], name: ['Not a valid string.'], type: ['This field is required.'] },
    });
  });

  it.each([
    '{',
    '{"name":}',
    "{'name':'x'}",
    '{"name":"x"} more',
    '[1,]',
    'undefined',
    '{"name":"a\nb"}',
    '{"a":1,}',
    '\u0000',
    '{"name":"\\x"}',
    '{"name":"\\ud8"}',
  ])('reports invalid JSON as a parse error: %j', async (body) => {
    const me = await waymark.account();
    const answer = await postText(me, '/lists', body);
    expect(statusAndBody(answer)).toEqual({ status: 400, body: { detail: expect.stringMatching(/^JSON parse error - ./) } });
  });

  it('a missing body is a bad request', async () => {
    const me = await waymark.account();
    expect((await postText(me, '/lists', '')).status).toBe(400);
  });

  it.each(['[]', '7', '"x"', 'null', 'true'])('reports a body that is not an object as non_field_errors: %s', async (body) => {
    const me = await waymark.account();
    for (const path of ['/lists', '/pinpoints', '/categories', '/events']) {
      expect(statusAndBody(await postText(me, path, body))).toEqual({ status: 400, body: { non_field_errors: [expect.any(String)] } });
    }
  });
});

describe('401:', () => {
  const notProvided = { status: 401, body: { detail: 'Authentication credentials were not provided.' } };

  it.each([[undefined], [''], ['Basic YTpi'], ['Token abc'], ['abc']])(
    'Authorization %j counts as no credentials',
    async (authorization) => {
      const headers = authorization === undefined ? {} : { Authorization: authorization };
      const answer = await waymark.send({ method: 'GET', path: '/v3.0/lists', headers });
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="api"/);
      if (authorization === undefined) expect(statusAndBody(answer)).toEqual(notProvided);
      if (authorization === undefined) expect(answer.headers['www-authenticate']).toBe('Bearer realm="api"');
    },
  );

  it.each([
    ['short', 'x'],
    ['of 43 characters', 'a'.repeat(43)],
    ['with a space', 'a b'],
    ['very long', 'a'.repeat(8_000)],
    ['an escape', '%00'],
    ['a path', '../../etc/passwd'],
    ['an operator', '{"$ne":null}'],
  ])('a malformed or unknown token is an invalid token: %s', async (_, token) => {
    const answer = await waymark.send({ method: 'GET', path: '/v3.0/lists', headers: { Authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({ detail: expect.any(String) });
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="api".*error="invalid_token"/);
  });

  it('a changed token is invalid', async () => {
    const me = await waymark.account();
    const changed = [`${me.token}x`, me.token.slice(0, -1), me.token.toUpperCase(), me.token.toLowerCase()];
    for (const token of changed.filter((other) => other !== me.token)) {
      const answer = await waymark.send({ method: 'GET', path: '/v3.0/lists', headers: { Authorization: `Bearer ${token}` } });
      expect(answer.status).toBe(401);
    }
  });

  it('the scheme is case-insensitive', async () => {
    const me = await waymark.account();
    const answer = await waymark.send({ method: 'GET', path: '/v3.0/lists', headers: { Authorization: `bearer ${me.token}` } });
    expect(answer.status).toBe(200);
  });

  it('a token in the URL is ignored', async () => {
    const me = await waymark.account();
    expect(statusAndBody(await waymark.send({ method: 'GET', path: `/v3.0/lists?access_token=${me.token}` }))).toEqual(notProvided);
  });

  it('a revoked token is invalid', async () => {
    const me = await waymark.account();
    await waymark.send(formCall('revoke', { token: me.token }, me.application));
    const answer = await me.get('/lists');
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
  });
});

describe('403:', () => {
  const forbidden = { status: 403, body: { detail: 'You do not have permission to perform this action.' } };

  it('a missing scope', async () => {
    const me = await waymark.account();
    const reader = await waymark.session(me.application, 'read');
    expect(statusAndBody(await reader.post('/lists', aList()))).toEqual(forbidden);
  });

  it('a suspended application', async () => {
    const me = await waymark.account();
    await waymark.operator('POST', `/applications/${me.application.client_id}/suspend`);
    expect(statusAndBody(await me.get('/lists'))).toEqual(forbidden);
    expect(statusAndBody(await me.post('/lists', aList()))).toEqual(forbidden);
  });

  it("another account's existing object", async () => {
    const [me, other] = [await waymark.account(), await waymark.account()];
    const { id } = await make(other, 'lists');
    expect(statusAndBody(await me.get(`/lists/${id}`))).toEqual(forbidden);
  });
});

describe('404:', () => {
  it.each([
    '/list',
    '/lists/1/pinpoints/2',
    '/lists/1/2',
    '/pinpoints/1/events',
    '/',
    '/oauth2',
    '/Lists',
    '/lists//1',
    '/%6cists/1/x',
    '/constructor',
    '/__proto__',
    '/../lists',
  ])('an unknown path is not found: %s', async (path) => {
    const me = await waymark.account();
    const answer = await waymark.send({ method: 'GET', path: `/v3.0${path}`, headers: { Authorization: `Bearer ${me.token}` } });
    expect(statusAndBody(answer)).toEqual({ status: 404, body: { detail: 'Not found.' } });
  });
});

describe('500:', () => {
  const hostile: readonly [what: string, path: string, body: string][] = [
    ['numbers where objects belong', '/events', '{"dates":[[[1]]],"media_file":[[]],"tags":[{}],"name":{},"pinpoint":[]}'],
    ['operators of a database', '/lists', '{"name":{"$gt":""},"description":{"$where":"1"}}'],
    ['names of the language', '/pinpoints', '{"toString":1,"__proto__":null,"constructor":null,"name":{"length":5}}'],
    ['the same field twice', '/lists', '{"name":7,"name":{}}'],
    ['a long number', '/pinpoints', `{"latitude":${'9'.repeat(5_000)}}`],
    ['format strings', '/lists', '{"name":"%s%n%d{{7*7}}"}'],
  ];

  it.each(hostile)('is never answered, and no response contains a stack trace: %s', async (_, path, body) => {
    const me = await waymark.account();
    const answer = await postText(me, path, body);
    expect(answer.status).toBeLessThan(500);
    expect(answer.text).not.toMatch(/node_modules|\.ts:\d|at \w+ \(/);
  });
});

describe('Messages:', () => {
  const provoke: Readonly<Record<string, Fields>> = {
    'This field is required.': { name: undefined },
    'This field may not be null.': { name: null },
    'This field may not be blank.': { name: ' ' },
    'A valid number is required.': { latitude: '54' },
    'A valid integer is required.': { category: '7' },
    'Not a valid string.': { name: 7 },
    'Ensure this value is less than or equal to 90.': { latitude: 91 },
    'Ensure this field has no more than 255 characters.': { name: 'x'.repeat(256) },
  };

  it.each(quotedMessages())('%s', async (message) => {
    const me = await waymark.account();
    const fault = provoke[message];
    const [field = 'nothing provokes it'] = Object.keys(fault ?? {});
    const answer = await me.post('/pinpoints', { ...aPinpoint(), ...fault });
    expect(statusAndBody(answer)).toEqual({ status: 400, body: { [field]: [message] } });
  });
});

describe('A trailing slash:', () => {
  it('is accepted on every path', async () => {
    const me = await waymark.account();
    const list = await me.create('/lists/', aList());
    const pinpoint = await me.create('/pinpoints/', aPinpoint());
    const category = await me.create('/categories/', await resourceNamed('categories').body(me));
    const event = await me.create('/events/', anEvent(pinpoint.id));
    const made = { lists: list, pinpoints: pinpoint, categories: category, events: event };
    for (const [name, { id }] of Object.entries(made)) {
      expect((await me.page(`/${name}/`)).results).toHaveLength(1);
      expect((await me.get(`/${name}/${id}/`)).body).toEqual(made[name as keyof typeof made]);
      expect((await me.put(`/${name}/${id}/`, {})).status).toBe(400);
    }
    expect((await me.post(`/lists/${list.id}/pinpoints/`, [{ id: pinpoint.id }])).body).toEqual({ errors: [], total: 1 });
    expect((await me.page(`/pinpoints/?list=${list.id}`)).results).toEqual([pinpoint]);
    expect((await me.delete(`/lists/${list.id}/pinpoints/`, [{ id: pinpoint.id }])).status).toBe(200);
    expect((await me.delete(`/events/${event.id}/`)).status).toBe(204);
    const form = { grant_type: 'client_credentials' };
    for (const path of ['token/', 'introspect/', 'revoke/']) {
      const answer = await waymark.send(formCall(path, path === 'token/' ? form : { token: me.token }, me.application));
      expect(answer.status).toBe(200);
    }
  });
});
