import { timingSafeEqual } from 'node:crypto';
import type { Applications } from '@waymark/access/applications.ts';
import type { Secret } from '@waymark/domain/application/events.ts';
import type { ApplicationState } from '@waymark/domain/application/state.ts';
import { failedAuthentication } from '@waymark/http/authentication-failures.ts';
import { secretHash } from '@waymark/http/secret-hash.ts';
import type { ClientRequest } from './client-request.ts';
import { invalidClient, unauthorizedClient } from './oauth-errors.ts';

/** An authenticated application. */
export type Client = {
  readonly id: string;
  readonly application: Extract<ApplicationState, { readonly name: string }>;
  /** The revision of its stream at which it was authenticated. */
  readonly revision: number;
  /** The id of the secret that it used. */
  readonly secretId: string;
};

/** Returns whether a secret matches the cached application. */
export const isKnown = (applications: Applications, { clientId, clientSecret }: ClientRequest): boolean => {
  const known = applications.known(clientId);
  return known !== undefined && secretOf(known.state, clientSecret) !== undefined;
};

/** Authenticates a client by the present state in the log.
 * @throws HttpError 401 invalid_client, 400 unauthorized_client; LogUnavailable */
export const authenticated = async (applications: Applications, request: ClientRequest): Promise<Client> => {
  const { state, revision } = await applications.refresh(request.clientId);
  if (state.status === 'absent' || state.status === 'deleted') throw failedAuthentication(invalidClient(), 'unknown-client');
  const secret = secretOf(state, request.clientSecret);
  if (secret === undefined) throw failedAuthentication(invalidClient(), 'wrong-secret', request.clientId);
  if (state.status === 'suspended') throw failedAuthentication(unauthorizedClient(), 'suspended', request.clientId);
  return { id: request.clientId, application: state, revision, secretId: secret.id };
};

const secretOf = (state: ApplicationState, clear: string): Secret | undefined => {
  if (state.status === 'absent' || state.status === 'deleted') return undefined;
  const given = Buffer.from(secretHash(clear));
  return state.secrets.find(({ hash }) => timingSafeEqual(Buffer.from(hash), given));
};
