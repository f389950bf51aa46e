import type { IncomingMessage } from 'node:http';
import { type FailureReason, HttpError } from './errors.ts';

/** A request that was not authenticated, without anything that it was sent with. */
export type AuthenticationFailure = {
  readonly endpoint: 'token' | 'bearer' | 'operator';
  readonly route: string;
  readonly address: string;
  readonly reason: FailureReason;
  /** Only of a client that exists. */
  readonly client?: string | undefined;
};

export type NoteFailure = (failure: AuthenticationFailure) => void;

/** What a failure is noted of. */
export type Attempt = Pick<AuthenticationFailure, 'endpoint' | 'route'> & { readonly request: IncomingMessage };

/** The answer to a request that was not authenticated, with the reason, which the client does not learn. */
export const failedAuthentication = ({ status, body, headers }: HttpError, reason: FailureReason, client?: string): HttpError =>
  new HttpError(status, body, headers, { reason, client });

/** Whether an error counts as a failed guess: an unknown client, secret or token. */
export const isFailedGuess = (error: unknown): boolean =>
  error instanceof HttpError && error.status === 401 && error.failure !== undefined && error.failure.reason !== 'missing';
