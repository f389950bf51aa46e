import type { Applications } from '@waymark/access/applications.ts';
import { knownTokenKey, presentScopes, tokenStatus } from '@waymark/access/bearer.ts';
import { type TokenRecord, type TokenStore, tokenLifetimeSeconds } from '@waymark/access/tokens/token-store.ts';
import type { Admission } from '@waymark/http/admission.ts';
import { oauthPaths } from '@waymark/http/api/oauth-endpoints.ts';
import type { OpenCall, OpenRoute } from '@waymark/http/app.ts';
import type { Answer } from '@waymark/http/call.ts';
import { HttpError } from '@waymark/http/errors.ts';
import { limitedByAddress } from '@waymark/http/limited-routes.ts';
import type { RateLimit } from '@waymark/http/rate-limit.ts';
import { type NoteRefused, refusedSignIn } from '@waymark/http/refused-requests.ts';
import type { HashRequestId } from '@waymark/http/request-id-hash.ts';
import { secretHash } from '@waymark/http/secret-hash.ts';
import { clientKey, clientOf } from './client-admission.ts';
import type { ClientRequest } from './client-request.ts';
import type { Client } from './clients.ts';
import { grant } from './grant.ts';
import { metadata } from './metadata.ts';
import { invalidRequest, noStore } from './oauth-errors.ts';

export { requestsQuota } from './limits.ts';

export type AuthOptions = {
  readonly tokens: TokenStore;
  readonly applications: Applications;
  readonly admission: Admission;
  /** Limits authenticated requests by client id and address. */
  readonly requests: RateLimit;
  /** The public base URL without a trailing slash. */
  readonly base: string;
  readonly noteRefused: NoteRefused;
  /** Hashes the request ids that the event log must not hold. */
  readonly hashRequestId: HashRequestId;
};

/** Returns the routes of the `oauth2` endpoints. */
export const authRoutes = (options: AuthOptions): readonly OpenRoute[] => [
  forClients(options, oauthPaths.token, token),
  forClients(options, oauthPaths.revoke, revoke),
  forClients(options, oauthPaths.introspect, introspect),
  ...limitedByAddress(options.admission, [{ method: 'GET', path: oauthPaths.metadata, handle: async () => metadata(options.base) }]),
];

type ClientEndpoint = (options: AuthOptions, client: Client, form: ClientRequest['form']) => Promise<Answer>;

/** Returns a route that runs an endpoint for an authenticated client and limits guesses. */
const forClients = (options: AuthOptions, path: string, endpoint: ClientEndpoint): OpenRoute => ({
  method: 'POST',
  path,
  handle: async (call) => {
    const { request } = call;
    const { admission, requests } = options;
    const address = admission.addresses.of(request);
    let known: Client | undefined;
    try {
      const { client, form } = await clientOf(options, call, address);
      known = client;
      await requests.take(clientKey(client.id, address));
      return await endpoint(options, client, form);
    } catch (error) {
      admission.noteError({ endpoint: 'token', route: path, request }, error);
      if (error instanceof HttpError) noteRefusal(options, path, call, error, known?.id ?? error.failure?.client);
      throw error;
    }
  },
});

/** Records a refused request of a known application.
 * @param application undefined if the client is unknown, or may be one */
const noteRefusal = (options: AuthOptions, route: string, call: OpenCall, problem: HttpError, application: string | undefined): void => {
  if (application === undefined) return;
  const state = options.applications.known(application)?.state;
  if (state === undefined || state.status === 'absent') return;
  const { request, requestId } = call;
  const signIn = { account: state.account, application, route, request, requestId, problem };
  const refused = refusedSignIn(signIn, { addressOf: options.admission.addresses.of, hashRequestId: options.hashRequestId });
  if (refused !== undefined) options.noteRefused(refused);
};

const token: ClientEndpoint = async ({ tokens, admission }, client, form) => {
  const { accessToken, scopes } = await grant(tokens, client, form);
  // So that the token is accepted at once, also from an address that has reached its limit of failures.
  admission.known.add(knownTokenKey(accessToken));
  return json({
    access_token: accessToken,
    expires_in: tokenLifetimeSeconds,
    scope: scopes.join(' '),
    token_type: 'Bearer',
  });
};

/** Revokes a token of the client. RFC 7009: an unknown token, or one of another client, is answered like a success and has no effect. */
const revoke: ClientEndpoint = async ({ tokens }, client, form) => {
  const record = await ownToken(tokens, client, form);
  if (record !== undefined) await tokens.revoke(record.hash);
  return json({});
};

/** Introspects a token of the client. RFC 7662: a client learns nothing about the tokens of another application. */
const introspect: ClientEndpoint = async ({ tokens, applications }, client, form) => {
  const record = await ownToken(tokens, client, form);
  const application = await applications.refresh(client.id);
  if (record === undefined || tokenStatus(record, application) !== 'good') return json({ active: false });
  return json({
    active: true,
    client_id: record.application,
    scope: presentScopes(record, application).join(' '),
    token_type: 'Bearer',
    iat: Math.floor(record.issuedAtMs / 1000),
    exp: Math.floor(record.expiresAtMs / 1000),
  });
};

const ownToken = async (tokens: TokenStore, client: Client, form: ClientRequest['form']): Promise<TokenRecord | undefined> => {
  const given = form.get('token');
  if (given === undefined) throw invalidRequest('The token is missing.');
  const record = await tokens.find(secretHash(given), Date.now());
  return record?.application === client.id ? record : undefined;
};

const json = (body: object): Answer => ({ status: 200, body: JSON.stringify(body), headers: noStore });
