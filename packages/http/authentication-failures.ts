import type { IncomingMessage } from 'node:http';
import { Problem } from './problems.ts';

/** Why a request was not authenticated. */
export type FailureReason =
  | 'missing'
  | 'malformed'
  | 'unknown-client'
  | 'wrong-secret'
  | 'unknown-token'
  | 'revoked'
  | 'suspended'
  | 'throttled';

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

/** The answer to a request that was not authenticated, and the reason, which the client does not learn. */
export class NotAuthenticated extends Problem {
  readonly reason: FailureReason;
  readonly client: string | undefined;

  constructor({ status, body, headers }: Problem, reason: FailureReason, client?: string) {
    super(status, body, headers);
    this.reason = reason;
    this.client = client;
  }
}

/** Whether an error counts as a failed guess: an unknown client, secret or token. */
export const isFailedGuess = (error: unknown): boolean =>
  error instanceof NotAuthenticated && error.status === 401 && error.reason !== 'missing';
