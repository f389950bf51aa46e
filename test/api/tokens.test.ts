import { type Answer, statusAndBody } from './client.ts';
import { aList, make } from './samples.ts';
import { type Application, basic, bodyOf, tokenCall } from './session.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
const grant = 'grant_type=client_credentials';

const refusal = (status: number, error: string): unknown => ({ status, body: expect.objectContaining({ error }) });

/** Sends a token request with a body written by hand. */
const ask = (body: string, headers: Record<string, string> = {}): Promise<Answer> =>
  waymark.send({ method: 'POST', path: '/v3.0/oauth2/token', headers: { ...form, ...headers }, body });

const withBasic = ({ client_id, client_secret }: Application, secret = client_secret): Record<string, string> => ({
  Authorization: basic({ client_id, client_secret: secret }),
});

type Granted = { readonly access_token: string; readonly scope: string };

describe('Request:', () => {
  it('Basic, with and without client_id in the body', async () => {
    const application = await waymark.application();
    expect((await ask(grant, withBasic(application))).status).toBe(200);
    expect((await ask(`client_id=${application.client_id}&${grant}`, withBasic(application))).status).toBe(200);
  });

  it('client_id and client_secret in the body', async () => {
    const { client_id, client_secret } = await waymark.application();
    const body = new URLSearchParams({ client_id, client_secret, grant_type: 'client_credentials' });
    expect((await ask(body.toString())).status).toBe(200);
  });

  it('the form may name its charset', async () => {
    const application = await waymark.application();
    const type = { 'Content-Type': 'application/x-www-form-urlencoded; charset=UTF-8' };
    expect((await ask(grant, { ...withBasic(application), ...type })).status).toBe(200);
  });

  it('unknown parameters are ignored', async () => {
    const application = await waymark.application();
    expect((await ask(`${grant}&colour=red&__proto__=x&constructor=y`, withBasic(application))).status).toBe(200);
  });

  it.each([
    ['a client_id that differs', (_: Application) => `${grant}&client_id=other`],
    [
      'a client_secret in the body as well',
      ({ client_id, client_secret }: Application) => `${grant}&client_id=${client_id}&client_secret=${encodeURIComponent(client_secret)}`,
    ],
    ['a grant_type that repeats', () => `${grant}&${grant}`],
    ['a client_id that repeats', ({ client_id }: Application) => `${grant}&client_id=${client_id}&client_id=${client_id}`],
    ['a scope that repeats', () => `${grant}&scope=read&scope=write`],
    ['no grant_type', () => 'scope=read'],
    ['an empty grant_type', () => 'grant_type='],
    ['an empty body', () => ''],
  ])('with Basic, %s is an invalid request', async (_, body) => {
    const application = await waymark.application();
    expect(statusAndBody(await ask(body(application), withBasic(application)))).toEqual(refusal(400, 'invalid_request'));
  });

  it.each(['application/json', 'text/plain', 'multipart/form-data; boundary=x', ''])(
    'a body of type %j is an invalid request',
    async (type) => {
      const application = await waymark.application();
      const answers = [
        await ask('{"grant_type":"client_credentials"}', { ...withBasic(application), 'Content-Type': type }),
        await ask(grant, { ...withBasic(application), 'Content-Type': type }),
      ];
      for (const answer of answers) expect(statusAndBody(answer)).toEqual(refusal(400, 'invalid_request'));
    },
  );

  it.each(['client_id[$ne]=x&client_secret[$ne]=x', 'client_id[]=x&client_secret[]=x', 'client_id[a]=b'])(
    'a parameter with a query operator is not a credential: %s',
    async (credentials) => {
      const answer = await ask(`${credentials}&${grant}`);
      expect([400, 401]).toContain(answer.status);
      expect(answer.body).toEqual(expect.objectContaining({ error: expect.stringMatching(/^invalid_(client|request)$/) }));
    },
  );

  it('parameters in the URL are ignored', async () => {
    const application = await waymark.application();
    const path = `/v3.0/oauth2/token?${grant}`;
    const answer = await waymark.send({ method: 'POST', path, headers: { ...form, ...withBasic(application) }, body: 'scope=read' });
    expect(statusAndBody(answer)).toEqual(refusal(400, 'invalid_request'));
  });
});

describe('Answer:', () => {
  it('has exactly these fields, and must not be stored', async () => {
    const answer = await waymark.send(tokenCall(await waymark.application()));
    expect(statusAndBody(answer)).toEqual({
      status: 200,
      body: { access_token: expect.any(String), expires_in: 36000, scope: 'write read', token_type: 'Bearer' },
    });
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
  });

  it('the token is opaque, has 160 bits or more, and is never the same', async () => {
    const application = await waymark.application();
    const tokens: string[] = [];
    for (let asked = 0; asked < 20; asked += 1) {
      tokens.push(bodyOf<Granted>(await waymark.send(tokenCall(application)), 200).access_token);
    }
    expect(new Set(tokens).size).toBe(20);
    for (const token of tokens) {
      expect(token).toMatch(/^([0-9a-f]{40,}|[\w~.+/-]{27,}=*)$/);
      expect(token).not.toContain(application.client_id);
    }
    // The prefix that all tokens share carries no bits.
    const varied = tokens.map((token) => token.slice(sharedStart(tokens)));
    for (const token of varied) expect(token.length).toBeGreaterThanOrEqual(26);
  });

  it.each([
    [['read', 'write'], 'write read'],
    [['write', 'read'], 'write read'],
    [['read'], 'read'],
    [['write'], 'write'],
    [['audit', 'read', 'write'], 'write read audit'],
  ])('without a scope grants all scopes of the application: %j', async (scopes, granted) => {
    const application = await waymark.application(undefined, scopes);
    expect(bodyOf<Granted>(await waymark.send(tokenCall(application)), 200).scope).toBe(granted);
  });

  it('a failure must not be stored either', async () => {
    const answer = await ask(grant);
    expect(answer.headers['cache-control']).toBe('no-store');
  });
});

const sharedStart = (texts: readonly string[]): number => {
  const [first = ''] = texts;
  let length = 0;
  while (length < first.length && texts.every((text) => text[length] === first[length])) length += 1;
  return length;
};

describe('Errors of the token endpoint:', () => {
  it.each([
    ['a wrong secret', (application: Application) => ask(grant, withBasic(application, 'wrong'))],
    ['an unknown client', (application: Application) => ask(grant, withBasic({ ...application, client_id: 'unknown' }))],
    ['a client id with an @', (application: Application) => ask(grant, withBasic({ ...application, client_id: 'editor@example.com' }))],
    ['a client id with NUL', (application: Application) => ask(grant, withBasic({ ...application, client_id: '\0' }))],
    ['an overlong client id', (application: Application) => ask(grant, withBasic({ ...application, client_id: 'x'.repeat(5_000) }))],
    ['an empty secret', (application: Application) => ask(grant, withBasic(application, ''))],
    ['a wrong secret in the body', ({ client_id }: Application) => ask(`${grant}&client_id=${client_id}&client_secret=wrong`)],
    ['no credentials', () => ask(grant)],
    ['Basic of nothing', () => ask(grant, { Authorization: 'Basic ' })],
    ['Basic that is not base64', () => ask(grant, { Authorization: 'Basic %%%' })],
    ['Basic without a colon', () => ask(grant, { Authorization: `Basic ${Buffer.from('abc').toString('base64')}` })],
    [
      "another application's secret",
      async (application: Application) => ask(grant, withBasic(application, (await waymark.application()).client_secret)),
    ],
  ])('invalid_client: %s', async (_, request) => {
    const answer = await request(await waymark.application());
    expect(statusAndBody(answer)).toEqual(refusal(401, 'invalid_client'));
    expect(answer.headers['www-authenticate']).toMatch(/^Basic\b/);
  });

  it.each([
    'password',
    'authorization_code',
    'refresh_token',
    'CLIENT_CREDENTIALS',
    'urn:ietf:params:oauth:grant-type:jwt-bearer',
    'constructor',
  ])('unsupported_grant_type: %s', async (type) => {
    const answer = await ask(`grant_type=${encodeURIComponent(type)}`, withBasic(await waymark.application()));
    expect(statusAndBody(answer)).toEqual(refusal(400, 'unsupported_grant_type'));
  });

  it.each(['admin', 'read admin', 'READ', 'read,write', '*', 'read\twrite', 'audit'])('invalid_scope: %j', async (scope) => {
    const answer = await waymark.send(tokenCall(await waymark.application(), { scope }));
    expect(statusAndBody(answer)).toEqual(refusal(400, 'invalid_scope'));
  });

  it('invalid_scope: more than the application has', async () => {
    const answer = await waymark.send(tokenCall(await waymark.application(undefined, ['read']), { scope: 'write' }));
    expect(statusAndBody(answer)).toEqual(refusal(400, 'invalid_scope'));
  });

  it('unauthorized_client: a suspended application', async () => {
    const application = await waymark.application();
    await waymark.operator('POST', `/applications/${application.client_id}/suspend`);
    expect(statusAndBody(await waymark.send(tokenCall(application)))).toEqual(refusal(400, 'unauthorized_client'));
  });

  it('invalid_request: a repeated parameter', async () => {
    const answer = await ask(`${grant}&${grant}`, withBasic(await waymark.application()));
    expect(statusAndBody(answer)).toEqual(refusal(400, 'invalid_request'));
  });
});

describe('Scopes:', () => {
  it.each([
    ['read', 'read'],
    ['write', 'write'],
    ['read write', 'write read'],
    ['write read', 'write read'],
    ['read read', 'read'],
  ])('scope=%s narrows the grant to %s', async (asked, granted) => {
    const answer = await waymark.send(tokenCall(await waymark.application(), { scope: asked }));
    expect(bodyOf<Granted>(answer, 200).scope).toBe(granted);
  });

  it('GET and HEAD need read, and read is enough', async () => {
    const me = await waymark.account();
    const { id } = await make(me, 'lists');
    const reader = await waymark.session(me.application, 'read');
    const writer = await waymark.session(me.application, 'write');
    for (const method of ['GET', 'HEAD']) {
      for (const path of ['/lists', `/lists/${id}`, '/pinpoints', '/categories', '/events']) {
        expect([(await reader.send(method, path)).status, (await writer.send(method, path)).status]).toEqual([200, 403]);
      }
    }
  });

  it('all other methods need write, and write is enough', async () => {
    const me = await waymark.account();
    const { id } = await make(me, 'lists');
    const reader = await waymark.session(me.application, 'read');
    const writer = await waymark.session(me.application, 'write');
    const statuses = async (one: typeof me): Promise<number[]> => [
      (await one.post('/lists', aList())).status,
      (await one.put(`/lists/${id}`, aList())).status,
      (await one.post(`/lists/${id}/pinpoints`, [])).status,
      (await one.delete(`/lists/${id}/pinpoints`, [])).status,
      (await one.delete(`/lists/${id}`)).status,
    ];
    expect(await statuses(reader)).toEqual([403, 403, 403, 403, 403]);
    expect(await statuses(writer)).toEqual([201, 200, 200, 200, 204]);
  });
});
