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

/** `client` is set only if the client exists, and `account` only if the request had one of its tokens. */
export type FailedAuthentication = {
  readonly reason: FailureReason;
  readonly client?: string | undefined;
  readonly account?: string | undefined;
};

/** A response that is not a success. It is thrown anywhere in a request, and the request lifecycle turns it into JSON. */
export class HttpError extends Error {
  readonly status: number;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;
  /** Why the request was not authenticated, if that is the cause. For the log, never for the client. */
  readonly failure: FailedAuthentication | undefined;

  constructor(status: number, body: object, headers: Readonly<Record<string, string>> = {}, failure?: FailedAuthentication) {
    super(`answered ${status}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
    this.failure = failure;
  }
}

/** Messages by field, nested like the input. */
export type FieldErrors = { readonly [field: string]: readonly string[] | FieldErrors | readonly FieldErrors[] };

const detail = (status: number, text: string, headers?: Readonly<Record<string, string>>): HttpError =>
  new HttpError(status, { detail: text }, headers);

export const badRequest = (text: string): HttpError => detail(400, text);
export const invalidFields = (errors: FieldErrors): HttpError => new HttpError(400, errors);
export const notAuthenticated = (): HttpError =>
  detail(401, 'Authentication credentials were not provided.', { 'WWW-Authenticate': 'Bearer realm="api"' });
export const invalidToken = (): HttpError =>
  detail(401, 'Authentication credentials were not provided.', {
    'WWW-Authenticate': 'Bearer realm="api", error="invalid_token"',
  });
export const forbidden = (): HttpError => detail(403, 'You do not have permission to perform this action.');
export const notFound = (): HttpError => detail(404, 'Not found.');
/** @param deletion the event that deleted the object */
export const deletedObject = (deletion: { readonly id: string; readonly revision: number; readonly time: string }): HttpError =>
  new HttpError(404, { detail: 'The object was deleted.', deleted: deletion });
export const invalidPage = (): HttpError => detail(404, 'Invalid page.');
export const methodNotAllowed = (method: string, allowed: string): HttpError =>
  detail(405, `Method "${method}" not allowed.`, { Allow: allowed });
export const requestTimeout = (): HttpError => detail(408, 'Request Timeout.', { Connection: 'close' });
export const conflict = (text: string): HttpError => detail(409, text);
/** @param report what was kept as it is, and why */
export const keptAsItIs = (report: object): HttpError =>
  new HttpError(409, { detail: 'Nothing was changed: the report names what cannot be undone, and why.', report });
export const requestStillRunning = (): HttpError =>
  detail(409, 'The first request with this Idempotency-Key is still running.', { 'Retry-After': `${retryAfterSeconds}` });
/** @param retryAfter seconds until the next checkpoint, at most */
export const notCovered = (text: string, retryAfter: number): HttpError => detail(409, text, { 'Retry-After': `${retryAfter}` });
export const gone = (): HttpError => detail(410, 'Gone.');
export const preconditionFailed = (): HttpError => detail(412, 'The object was changed meanwhile.');
export const tooLarge = (what: string): HttpError => detail(413, what);
export const unsupportedMediaType = (text: string): HttpError => detail(415, text);
export const misdirected = (): HttpError => detail(421, 'Another service answers this request.');
export const wrongHost = (): HttpError => detail(421, 'This port is not known by this Host (WAYMARK_OPS_NAMES).');
export const keyReused = (): HttpError => detail(422, 'This Idempotency-Key was used with another body.');
export const throttled = (retryAfter: number, headers: Readonly<Record<string, string>> = {}): HttpError =>
  detail(429, 'Request was throttled.', { 'Retry-After': `${retryAfter}`, ...headers });
export const unavailable = (text: string): HttpError => detail(503, text, { 'Retry-After': `${retryAfterSeconds}` });
export const internalError = (): HttpError => detail(500, 'Internal server error.');

/** Returns the error that a client gets: a problem unchanged, 503 for an unavailable engine, 500 for any other error. */
export const toHttpError = (error: unknown): HttpError => {
  if (error instanceof HttpError) return error;
  if (!(error instanceof Unavailable)) return internalError();
  return unavailable(error.isUndecided ? 'It is not known whether this was stored.' : 'Temporarily unavailable.');
};
