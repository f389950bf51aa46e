import { randomBytes } from 'node:crypto';
import type { ClientCredentialsModel } from '@node-oauth/oauth2-server';
import { type TokenRecord, type TokenStore, tokenLifetimeSeconds } from '@waymark/access/tokens/token-store.ts';
import { type Scope, scopes as scopesInOrder } from '@waymark/domain/application/events.ts';
import { secretHash } from '@waymark/http/secret-hash.ts';
import type { Client } from './clients.ts';
import { invalidRequest, invalidScope, unsupportedGrantType } from './oauth-errors.ts';

/** A token as the client receives it. */
export type Granted = { readonly accessToken: string; readonly scopes: readonly Scope[] };

/** Grants a token with the client-credentials grant. The library only receives an authenticated client and plain strings.
 * @throws HttpError 400; TokenStoreUnavailable */
export const grant = async (tokens: TokenStore, client: Client, form: ReadonlyMap<string, string>): Promise<Granted> => {
  const grantType = form.get('grant_type');
  if (grantType === undefined) throw invalidRequest('The grant_type is missing.');
  // The library supports other grants, and would report the client as unauthorized for them.
  if (grantType !== 'client_credentials') throw unsupportedGrantType();
  // Imported here, because a start does not need the library.
  const { default: OAuth2Server } = await import('@node-oauth/oauth2-server');
  const server = new OAuth2Server({ model: modelFor(tokens, client), accessTokenLifetime: tokenLifetimeSeconds });
  try {
    const token = await server.token(new OAuth2Server.Request(requestOf(client, form)), new OAuth2Server.Response());
    return { accessToken: token.accessToken, scopes: token.scope as Scope[] };
  } catch (error) {
    throw problemOf(error);
  }
};

const requestOf = (client: Client, form: ReadonlyMap<string, string>) => {
  const scope = form.get('scope');
  const body = { grant_type: form.get('grant_type'), client_id: client.id, client_secret: 'authenticated' };
  const text = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1' };
  return { method: 'POST', query: {}, headers: text, body: scope === undefined ? body : { ...body, scope } };
};

const modelFor = (tokens: TokenStore, client: Client): ClientCredentialsModel => ({
  getClient: async () => ({ id: client.id, grants: ['client_credentials'] }),
  getUserFromClient: async () => ({ account: client.application.account }),
  validateScope: async (_user, _client, asked) => granted(client.application.scopes, asked),
  generateAccessToken: async () => randomBytes(32).toString('base64url'),
  saveToken: async (token, libraryClient, user) => {
    await tokens.save(recordOf(client, token.accessToken, token.scope as Scope[]));
    return { ...token, client: libraryClient, user };
  },
  getAccessToken: async () => undefined,
});

/** Returns the requested scopes, in canonical order, if the application has all of them. Returns all its scopes if none is requested. */
const granted = (has: readonly Scope[], asked: readonly string[] | undefined): Scope[] | false => {
  const wanted = asked === undefined || asked.length === 0 ? has : asked;
  if (!wanted.every((scope) => (has as readonly string[]).includes(scope))) return false;
  return scopesInOrder.filter((scope) => wanted.includes(scope));
};

const recordOf = (client: Client, token: string, scopes: readonly Scope[]): TokenRecord => {
  const issuedAtMs = Date.now();
  return {
    hash: secretHash(token),
    id: randomBytes(9).toString('base64url'),
    application: client.id,
    account: client.application.account,
    scopes,
    secretId: client.secretId,
    applicationRevision: client.revision,
    issuedAtMs,
    expiresAtMs: issuedAtMs + tokenLifetimeSeconds * 1000,
  };
};

/** Unwraps errors of the model above, which the library wraps. */
const problemOf = (error: unknown): unknown => {
  const { name, inner } = error as { name?: string; inner?: unknown };
  switch (name) {
    case 'invalid_scope':
      return invalidScope();
    case 'invalid_request':
      return invalidRequest('The request is malformed.');
    default:
      return inner ?? error;
  }
};
