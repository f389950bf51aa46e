import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../crash/until.ts';
import { type Answer, statusAndBody } from './client.ts';
import { filesUnder } from './erased-text.ts';
import { aList } from './samples.ts';
import { type Application, bodyOf, formCall, tokenCall } from './session.ts';
import { describeWith, useTarget } from './target.ts';

const waymark = useTarget();

const effectWithinMs = 1_000;

/** Repeats a request until its response is as expected, for at most as long as a revocation may take. The last one is sent after that time: a
 * response that arrives late may belong to a request that was sent early. */
const repeated = async <Response>(isExpected: (response: Response) => boolean, ask: () => Promise<Response>): Promise<Response> => {
  for (const startedMs = performance.now(); ; await sleep(50)) {
    const isLast = performance.now() - startedMs > effectWithinMs;
    const response = await ask();
    if (isLast || isExpected(response)) return response;
  }
};

const within1s = (status: number, ask: () => Promise<Answer>): Promise<Answer> => repeated((answer) => answer.status === status, ask);

const rotate = async ({ client_id }: Application): Promise<Application> =>
  bodyOf<Application>(await waymark.operator('POST', `/applications/${client_id}/rotate`), 200);

const dropSecret = ({ client_id, secret_id }: Application): Promise<Answer> =>
  waymark.operator('DELETE', `/applications/${client_id}/secrets/${secret_id}`);

const invalidClient = { status: 401, body: expect.objectContaining({ error: 'invalid_client' }) };

describe('Applications:', () => {
  it('a suspended application gets no token, and its tokens are refused', async () => {
    const me = await waymark.account();
    const { client_id } = me.application;
    await waymark.operator('POST', `/applications/${client_id}/suspend`);
    expect(statusAndBody(await within1s(403, () => me.get('/lists')))).toEqual({
      status: 403,
      body: { detail: 'You do not have permission to perform this action.' },
    });
    const refused = await within1s(400, () => waymark.send(tokenCall(me.application)));
    expect(statusAndBody(refused)).toEqual({ status: 400, body: expect.objectContaining({ error: 'unauthorized_client' }) });
  });

  it('a resumed application works as before', async () => {
    const me = await waymark.account();
    const { client_id } = me.application;
    const { id } = await me.create('/lists', aList());
    await waymark.operator('POST', `/applications/${client_id}/suspend`);
    await waymark.operator('POST', `/applications/${client_id}/resume`);
    expect((await within1s(200, () => waymark.send(tokenCall(me.application)))).status).toBe(200);
    expect((await (await waymark.session(me.application)).get(`/lists/${id}`)).status).toBe(200);
  });

  it('a wrong secret of a suspended application is refused like any wrong secret', async () => {
    const application = await waymark.application();
    await waymark.operator('POST', `/applications/${application.client_id}/suspend`);
    expect(statusAndBody(await waymark.send(tokenCall({ ...application, client_secret: 'wrong' })))).toEqual(invalidClient);
  });

  it('a deleted application gets 401 for its token requests and its tokens', async () => {
    const me = await waymark.account();
    await waymark.operator('DELETE', `/applications/${me.application.client_id}`);
    const answer = await within1s(401, () => me.get('/lists'));
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
    expect(statusAndBody(await within1s(401, () => waymark.send(tokenCall(me.application))))).toEqual(invalidClient);
  });

  it('an application has at most two secrets at once', async () => {
    const first = await waymark.application();
    const second = await rotate(first);
    for (const live of [first, { ...first, ...second }]) expect((await waymark.send(tokenCall(live))).status).toBe(200);
    expect((await waymark.operator('POST', `/applications/${first.client_id}/rotate`)).status).toBe(409);
    expect((await dropSecret(first)).status).toBeLessThan(300);
    const third = await rotate(first);
    for (const live of [second, third]) expect((await waymark.send(tokenCall({ ...first, ...live }))).status).toBe(200);
  });
});

const changeScopes = async ({ client_id }: Application, ...scopes: readonly string[]): Promise<void> => {
  const answer = await waymark.operator('POST', `/applications/${client_id}/scopes`, { scopes });
  expect(bodyOf(answer, 200)).toMatchObject({ client_id, scopes: expect.arrayContaining([...scopes]) });
};

const scopeOf = async (application: Application, token: string): Promise<unknown> =>
  bodyOf<{ scope?: string }>(await waymark.send(formCall('introspect', { token }, application)), 200).scope;

const newScope = async (application: Application): Promise<unknown> =>
  bodyOf<{ scope: string }>(await waymark.send(tokenCall(application)), 200).scope;

const untilEqual = async (expected: unknown, ask: () => Promise<unknown>): Promise<void> =>
  expect(await repeated((found) => found === expected, ask)).toBe(expected);

describe('Scopes of an application:', () => {
  it('a revoked scope is lost within a second, by earlier tokens and by new ones', async () => {
    const me = await waymark.account();
    const { id } = await me.create('/lists', aList());
    expect((await me.put(`/lists/${id}`, aList())).status).toBe(200);
    await changeScopes(me.application, 'read');
    expect((await within1s(403, () => me.put(`/lists/${id}`, aList()))).status).toBe(403);
    expect((await me.get(`/lists/${id}`)).status).toBe(200);
    await untilEqual('read', () => newScope(me.application));
    await untilEqual('read', () => scopeOf(me.application, me.token));
    expect((await waymark.send(tokenCall(me.application, { scope: 'write' }))).status).toBe(400);
  });

  it('a scope that is granted again works with the tokens that had it', async () => {
    const me = await waymark.account();
    await changeScopes(me.application, 'read');
    await within1s(403, () => me.post('/lists', aList()));
    await changeScopes(me.application, 'write', 'read');
    expect((await within1s(201, () => me.post('/lists', aList()))).status).toBe(201);
  });

  it('a new scope is granted within a second, to new tokens only', async () => {
    const me = await waymark.account();
    await changeScopes(me.application, 'write', 'read', 'audit');
    await untilEqual('write read audit', () => newScope(me.application));
    expect(await scopeOf(me.application, me.token)).toBe('write read');
    const auditor = await waymark.session(me.application, 'audit');
    expect(await scopeOf(me.application, auditor.token)).toBe('audit');
    await changeScopes(me.application, 'write', 'read');
    await untilEqual('', () => scopeOf(me.application, auditor.token));
    expect((await within1s(403, () => auditor.get('/lists'))).status).toBe(403);
  });

  it('are refused for an unknown or deleted application, and for unknown scopes', async () => {
    const { client_id } = await waymark.application();
    const ask = async (scopes: unknown, id = client_id) =>
      (await waymark.operator('POST', `/applications/${id}/scopes`, { scopes })).status;
    for (const wrong of [[], ['fly'], 'read', null, ['read', 7]]) expect(await ask(wrong)).toBe(400);
    expect(await ask(['read'], 'nobody')).toBe(404);
    await waymark.operator('DELETE', `/applications/${client_id}`);
    expect(await ask(['read'])).toBe(404);
  });
});

describe('Storage:', () => {
  it('a dropped secret and its tokens are refused; the other secret and its tokens are accepted', async () => {
    const old = await waymark.account();
    const renewed = { ...old.application, ...(await rotate(old.application)) };
    const next = await waymark.session(renewed);
    await dropSecret(old.application);
    expect(statusAndBody(await within1s(401, () => waymark.send(tokenCall(old.application))))).toEqual(invalidClient);
    expect((await within1s(401, () => old.get('/lists'))).status).toBe(401);
    expect((await next.get('/lists')).status).toBe(200);
    expect((await waymark.send(tokenCall(renewed))).status).toBe(200);
  });

  it('a secret is shown once', async () => {
    const application = await waymark.application();
    const second = await rotate(application);
    const answer = await waymark.operator('GET', '/applications');
    expect(answer.text).toContain(application.client_id);
    expect(answer.text).not.toContain(application.client_secret);
    expect(answer.text).not.toContain(second.client_secret);
  });

  it('a revoked token is refused within a second', async () => {
    const me = await waymark.account();
    expect((await me.get('/lists')).status).toBe(200);
    expect((await waymark.send(formCall('revoke', { token: me.token }, me.application))).status).toBe(200);
    expect((await within1s(401, () => me.get('/lists'))).status).toBe(401);
  });
});

describe('Tenancy:', () => {
  it('two applications of one account see the same content', async () => {
    const me = await waymark.account();
    const colleague = await waymark.session(await waymark.application(me.application.account));
    const made = await me.create('/lists', aList());
    expect(await colleague.read(`/lists/${made.id}`)).toEqual(made);
    expect((await colleague.page('/lists')).results).toEqual([made]);
    expect((await colleague.put(`/lists/${made.id}`, aList({ name: 'Renamed' }))).status).toBe(200);
    expect(await me.read(`/lists/${made.id}`)).toMatchObject({ name: 'Renamed' });
  });

  it('an application sees only the content of its account', async () => {
    const [me, other] = [await waymark.account(), await waymark.account()];
    await other.create('/lists', aList());
    expect((await me.page('/lists')).results).toEqual([]);
  });

  it('deleting an application does not change the content of its account', async () => {
    const me = await waymark.account();
    const made = await me.create('/lists', aList());
    await waymark.operator('DELETE', `/applications/${me.application.client_id}`);
    const heir = await waymark.session(await waymark.application(me.application.account));
    expect(await heir.read(`/lists/${made.id}`)).toEqual(made);
  });
});

describeWith('Storage: what is on disk and in the log', {}, (server) => {
  it('contains no secret and no token in plain text', async () => {
    const me = await server.account();
    await me.create('/lists', aList());
    await server.send(tokenCall({ ...me.application, client_secret: 'a-wrong-secret-that-was-guessed' }));
    await server.send(formCall('introspect', { token: me.token }, me.application));

    const { directory, printed } = await server.traces();
    const stored = filesUnder(directory).map(({ bytes }) => bytes.toString('latin1'));
    expect(stored.length).toBeGreaterThan(2);
    expect(stored.some((text) => text.includes(me.application.client_id))).toBe(true);
    for (const secret of [me.token, me.application.client_secret, 'a-wrong-secret-that-was-guessed']) {
      expect(stored.filter((text) => text.includes(secret))).toEqual([]);
      expect(printed.includes(secret)).toBe(false);
    }
  });
});

describeWith('An operator call that names a person', {}, (server) => {
  it('is in the log with its outcome', async () => {
    const { client_id } = await server.application();
    await server.operator('POST', `/applications/${client_id}/suspend?by=clerk-3`);
    await server.operator('POST', '/applications/nobody/suspend?by=clerk-4');
    expect((await server.operator('POST', `/applications/${client_id}/resume?by=some%20one`)).status).toBe(400);
    // The process prints beside its responses.
    let lines: readonly string[] = [];
    await until(async () => {
      lines = (await server.traces()).printed.split('\n').filter((line) => line.includes('operator call'));
      return lines.length > 1;
    });
    expect(lines.map((line) => JSON.parse(line.slice(line.indexOf('{'))))).toMatchObject([
      { operation: 'POST /operator/applications/:id/suspend', parameters: { id: client_id }, by: 'clerk-3', status: 200 },
      { operation: 'POST /operator/applications/:id/suspend', parameters: { id: 'nobody' }, by: 'clerk-4', status: 404 },
    ]);
  });
});
