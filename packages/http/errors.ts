import { Unavailable } from '@waymark/domain/unavailable.ts';
import { retryAfterSeconds } from './limits.ts';

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

/** `client`: only one that exists. */
export type FailedAuthentication = { readonly reason: FailureReason; readonly client?: string | undefined };

/** An answer that is not a success: thrown anywhere in a request, turned into JSON by the edge. */
export class Problem extends Error {
  readonly status: number;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;
  /** Where the request was not authenticated: for the log, never for the client. */
  readonly failure: FailedAuthentication | undefined;

  constructor(status: number, body: object, headers: Readonly<Record<string, string>> = {}, failure?: FailedAuthentication) {
    super(`answered ${status}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
    this.failure = failure;
  }
}

/** Messages by field, nested as the input is. */
export type FieldErrors = { readonly [field: string]: readonly string[] | FieldErrors | readonly FieldErrors[] };

const detail = (status: number, text: string, headers?: Readonly<Record<string, string>>): Problem =>
  new Problem(status, { detail: text }, headers);

export const badRequest = (text: string): Problem => detail(400, text);
export const invalidFields = (errors: FieldErrors): Problem => new Problem(400, errors);
export const notAuthenticated = (): Problem =>
  detail(401, 'Authentication credentials were not provided.', { 'WWW-Authenticate': 'Bearer realm="api"' });
export const invalidToken = (): Problem =>
  detail(401, 'Authentication credentials were not provided.', {
    'WWW-Authenticate': 'Bearer realm="api", error="invalid_token"',
  });
export const forbidden = (): Problem => detail(403, 'You do not have permission to perform this action.');
export const notFound = (): Problem => detail(404, 'Not found.');
export const invalidPage = (): Problem => detail(404, 'Invalid page.');
export const methodNotAllowed = (method: string, allowed: string): Problem =>
  detail(405, `Method "${method}" not allowed.`, { Allow: allowed });
export const requestTimeout = (): Problem => detail(408, 'Request Timeout.', { Connection: 'close' });
export const conflict = (text: string): Problem => detail(409, text);
export const stillRunning = (): Problem =>
  detail(409, 'The first request with this Idempotency-Key is still running.', { 'Retry-After': `${retryAfterSeconds}` });
export const gone = (): Problem => detail(410, 'Gone.');
export const preconditionFailed = (): Problem => detail(412, 'The object was changed meanwhile.');
export const tooLarge = (what: string): Problem => detail(413, what);
export const unsupportedMediaType = (text: string): Problem => detail(415, text);
export const misdirected = (): Problem => detail(421, 'Another service answers this request.');
export const wrongHost = (): Problem => detail(421, 'This port is not known by this Host (WAYMARK_OPS_NAMES).');
export const keyReused = (): Problem => detail(422, 'This Idempotency-Key was used with another body.');
export const throttled = (retryAfter: number, headers: Readonly<Record<string, string>> = {}): Problem =>
  detail(429, 'Request was throttled.', { 'Retry-After': `${retryAfter}`, ...headers });
export const unavailable = (text: string): Problem => detail(503, text, { 'Retry-After': `${retryAfterSeconds}` });
export const internalError = (): Problem => detail(500, 'Internal server error.');

/** What a client is told of an error: problems as they are, engines that are away as 503, all else as 500. */
export const asProblem = (error: unknown): Problem => {
  if (error instanceof Problem) return error;
  if (!(error instanceof Unavailable)) return internalError();
  return unavailable(error.isUndecided ? 'It is not known whether this was stored.' : 'Temporarily unavailable.');
};
