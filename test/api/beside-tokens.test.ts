import { statusAndBody } from './client.ts';
import { aList } from './samples.ts';
import { type Application, bodyOf, formCall, tokenCall } from './session.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

const refusal = (status: number, error: string): unknown => ({ status, body: expect.objectContaining({ error }) });

describe('Beside it:', () => {
  type Introspected = { readonly active: boolean; readonly [field: string]: unknown };
  const introspect = async (token: string, application: Application): Promise<Introspected> =>
    bodyOf<Introspected>(await waymark.send(formCall('introspect', { token }, application)), 200);

  it('revoke ends a token at once', async () => {
    const me = await waymark.account();
    const answer = await waymark.send(formCall('revoke', { token: me.token }, me.application));
    expect(answer.status).toBe(200);
    expect((await me.get('/lists')).status).toBe(401);
    expect((await me.post('/lists', aList())).status).toBe(401);
    expect(await introspect(me.token, me.application)).toEqual({ active: false });
  });

  it('revoke does not affect the other tokens of the application', async () => {
    const me = await waymark.account();
    const second = await waymark.session(me.application);
    await waymark.send(formCall('revoke', { token: me.token }, me.application));
    expect((await second.get('/lists')).status).toBe(200);
  });

  it.each(['unknown', 'a refresh token'])('revoke of an unknown token has no effect: %j', async (token) => {
    const me = await waymark.account();
    const answer = await waymark.send(formCall('revoke', { token, token_type_hint: 'refresh_token' }, me.application));
    expect(answer.status).toBe(200);
    expect((await me.get('/lists')).status).toBe(200);
  });

  it('an application can neither revoke nor introspect the token of another one, even in the same account', async () => {
    const me = await waymark.account();
    for (const other of [await waymark.application(), await waymark.application(me.application.account)]) {
      expect((await waymark.send(formCall('revoke', { token: me.token }, other))).status).toBe(200);
      expect(await introspect(me.token, other)).toEqual({ active: false });
    }
    expect((await me.get('/lists')).status).toBe(200);
  });

  it('introspect returns the client, the scope and the expiry of a token', async () => {
    const me = await waymark.account();
    const reader = await waymark.session(me.application, 'read');
    const nowSeconds = Date.now() / 1_000;
    const told = await introspect(reader.token, me.application);
    expect(told).toMatchObject({ active: true, client_id: me.application.client_id, scope: 'read', token_type: 'Bearer' });
    expect(Math.abs(Number(told['exp']) - nowSeconds - 36_000)).toBeLessThan(60);
    expect(await introspect(me.token, me.application)).toMatchObject({ active: true, scope: 'write read' });
  });

  it('introspect reports an unknown token as inactive', async () => {
    const application = await waymark.application();
    expect(await introspect('unknown', application)).toEqual({ active: false });
  });

  it.each(['revoke', 'introspect'])('%s needs client credentials', async (path) => {
    const me = await waymark.account();
    const wrong = { ...me.application, client_secret: 'wrong' };
    for (const call of [formCall(path, { token: me.token }), formCall(path, { token: me.token }, wrong)]) {
      const answer = await waymark.send(call);
      expect(statusAndBody(answer)).toEqual(refusal(401, 'invalid_client'));
      expect(answer.headers['www-authenticate']).toMatch(/^Basic\b/);
    }
    const { client_id, client_secret } = me.application;
    expect((await waymark.send(formCall(path, { token: 'x', client_id, client_secret }))).status).toBe(200);
  });

  it.each(['revoke', 'introspect'])('%s without a token is an invalid request', async (path) => {
    const application = await waymark.application();
    for (const form of [{}, { token_type_hint: 'access_token' }]) {
      expect(statusAndBody(await waymark.send(formCall(path, form, application)))).toEqual(refusal(400, 'invalid_request'));
    }
  });

  it.each(['revoke', 'introspect'])('%s with an empty token is an invalid request as well', async (path) => {
    const answer = await waymark.send(formCall(path, { token: '' }, await waymark.application()));
    expect(statusAndBody(answer)).toEqual(refusal(400, 'invalid_request'));
  });

  it('the metadata names the endpoints, on the public base URL', async () => {
    const answer = await waymark.send({ method: 'GET', path: '/.well-known/oauth-authorization-server' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      issuer: waymark.url(),
      token_endpoint: `${waymark.url()}/v3.0/oauth2/token`,
      revocation_endpoint: `${waymark.url()}/v3.0/oauth2/revoke`,
      introspection_endpoint: `${waymark.url()}/v3.0/oauth2/introspect`,
      grant_types_supported: ['client_credentials'],
      scopes_supported: expect.arrayContaining(['read', 'write']),
      token_endpoint_auth_methods_supported: expect.arrayContaining(['client_secret_basic', 'client_secret_post']),
      response_types_supported: [],
    });
  });

  it('there are no refresh tokens', async () => {
    const application = await waymark.application();
    const answer = await waymark.send(tokenCall(application));
    expect(answer.body).not.toHaveProperty('refresh_token');
    const asked = await waymark.send(tokenCall(application, { grant_type: 'refresh_token', refresh_token: 'x' }));
    expect(statusAndBody(asked)).toEqual(refusal(400, 'unsupported_grant_type'));
  });
});
