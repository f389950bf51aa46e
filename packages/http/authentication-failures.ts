import type { IncomingMessage } from 'node:http';
import { type FailureReason, HttpError } from './errors.ts';

/** A request that was not authenticated. It contains nothing that the client sent, except the id of an existing client. */
export type AuthenticationFailure = {
  readonly endpoint: 'token' | 'bearer' | 'operator';
  readonly route: string;
  readonly address: string;
  readonly reason: FailureReason;
  /** The client id, only if the client exists. */
  readonly client?: string | undefined;
};

export type NoteFailure = (failure: AuthenticationFailure) => void;

/** The request that a failure is recorded for. */
export type Attempt = Pick<AuthenticationFailure, 'endpoint' | 'route'> & { readonly request: IncomingMessage };

/** Returns the response to a request that was not authenticated, with the reason. The client does not learn the reason. */
export const failedAuthentication = (
  { status, body, headers }: HttpError,
  reason: FailureReason,
  client?: string,
  account?: string,
): HttpError => new HttpError(status, body, headers, { reason, client, account });

/** Returns whether an error counts as a failed guess: an unknown client, secret or token. */
export const isFailedGuess = (error: unknown): boolean =>
  error instanceof HttpError && error.status === 401 && error.failure !== undefined && error.failure.reason !== 'missing';
