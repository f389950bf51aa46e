import type { ClientAddresses } from '@waymark/http/addresses.ts';
import type { OpenRoute } from '@waymark/http/app.ts';
import type { Applications } from '@waymark/http/applications.ts';
import { standing, tokenHash } from '@waymark/http/bearer.ts';
import type { Answer } from '@waymark/http/call.ts';
import { oauthPaths } from '@waymark/http/oauth-endpoints.ts';
import { Problem } from '@waymark/http/problems.ts';
import type { RateLimit } from '@waymark/http/rate-limits.ts';
import { type TokenRecord, type Tokens, tokenLifetimeSeconds } from '@waymark/tokens/tokens.ts';
import { type ClientRequest, readClientRequest } from './client-request.ts';
import { authenticated, type Client } from './clients.ts';
import { grant } from './grant.ts';
import { metadata } from './metadata.ts';
import { invalidRequest, noStore } from './oauth-problems.ts';

export { failuresQuota, requestsQuota } from './limits.ts';
export { type Registry, RegistryRefusal, registryOf } from './registry.ts';

export type AuthOptions = {
  readonly tokens: Tokens;
  readonly applications: Applications;
  readonly addresses: ClientAddresses;
  /** By client id and address. */
  readonly requests: RateLimit;
  /** By client id and address: counts only what failed. */
  readonly failures: RateLimit;
  /** Public base URL, without a slash at its end. */
  readonly base: string;
};

/** The `oauth2` endpoints. */
export const authRoutes = (options: AuthOptions): readonly OpenRoute[] => [
  { method: 'POST', path: oauthPaths.token, handle: forClients(options, token) },
  { method: 'POST', path: oauthPaths.revoke, handle: forClients(options, revoke) },
  { method: 'POST', path: oauthPaths.introspect, handle: forClients(options, introspect) },
  { method: 'GET', path: oauthPaths.metadata, handle: async () => metadata(options.base) },
];

type ClientEndpoint = (options: AuthOptions, client: Client, form: ClientRequest['form']) => Promise<Answer>;

/** Lets an authenticated client in, and makes guessing slow. */
const forClients =
  (options: AuthOptions, endpoint: ClientEndpoint): OpenRoute['handle'] =>
  async (call) => {
    const { request } = call;
    const clientRequest = await readClientRequest(call);
    const key = `${clientRequest.clientId.slice(0, keyCharactersMax)} ${options.addresses.of(request)}`;
    await options.failures.check(key);
    await options.requests.take(key);
    try {
      const client = await authenticated(options.applications, clientRequest);
      return await endpoint(options, client, clientRequest.form);
    } catch (error) {
      if (error instanceof Problem && error.status < 429) await options.failures.take(key).catch(() => undefined);
      throw error;
    }
  };

const keyCharactersMax = 64;

const token: ClientEndpoint = async ({ tokens }, client, form) => {
  const { accessToken, scopes } = await grant(tokens, client, form);
  return json({
    access_token: accessToken,
    expires_in: tokenLifetimeSeconds,
    scope: scopes.join(' '),
    token_type: 'Bearer',
  });
};

/** RFC 7009: whose token it is not, or what is no token, is answered like success, without effect. */
const revoke: ClientEndpoint = async ({ tokens }, client, form) => {
  const record = await ownToken(tokens, client, form);
  if (record !== undefined) await tokens.revoke(record.hash);
  return json({});
};

/** RFC 7662: nobody learns anything of another application's tokens. */
const introspect: ClientEndpoint = async ({ tokens, applications }, client, form) => {
  const record = await ownToken(tokens, client, form);
  if (record === undefined || standing(record, await applications.refresh(client.id)) !== 'good') {
    return json({ active: false });
  }
  return json({
    active: true,
    client_id: record.application,
    scope: record.scopes.join(' '),
    token_type: 'Bearer',
    iat: Math.floor(record.issuedAtMs / 1000),
    exp: Math.floor(record.expiresAtMs / 1000),
  });
};

const ownToken = async (tokens: Tokens, client: Client, form: ClientRequest['form']): Promise<TokenRecord | undefined> => {
  const given = form.get('token');
  if (given === undefined) throw invalidRequest('The token is missing.');
  const record = await tokens.find(tokenHash(given), Date.now());
  return record?.application === client.id ? record : undefined;
};

const json = (body: object): Answer => ({ status: 200, body: JSON.stringify(body), headers: noStore });
