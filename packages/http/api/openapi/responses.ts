import {
  badRequest,
  deletedObject,
  forbidden,
  gone,
  HttpError,
  internalError,
  keptAsItIs,
  keyReused,
  methodNotAllowed,
  notAuthenticated,
  notCovered,
  notFound,
  preconditionFailed,
  requestStillRunning,
  throttled,
  tooLarge,
  unavailable,
  unsupportedMediaType,
} from '../../errors.ts';
import { type HeaderName, headerRefs } from './headers.ts';
import { type Json, type SchemaName, schemaRef } from './schemas.ts';

/** A response as the document describes it, and its status. */
export type Response = { readonly status: number; readonly response: Json };

export type Content = (schema: Json, example?: unknown) => Json;

export const contentOf =
  (mediaType: string): Content =>
  (schema, example) => ({ [mediaType]: example === undefined ? { schema } : { schema, example } });

export const jsonContent = contentOf('application/json');
export const formContent = contentOf('application/x-www-form-urlencoded');

/** Returns the response for a problem. Its status, headers and example come from the `HttpError` of the code. */
const describeProblem = (problem: HttpError, description: string, ...bodies: readonly SchemaName[]): Response => ({
  status: problem.status,
  response: {
    description,
    headers: headerRefs(...(Object.keys(problem.headers) as HeaderName[])),
    content: jsonContent(oneOfThem(bodies.length === 0 ? ['Detail'] : bodies), problem.body),
  },
});

const oneOfThem = (names: readonly SchemaName[]): Json => {
  const [first, ...others] = names.map(schemaRef);
  return first !== undefined && others.length === 0 ? first : { anyOf: [first, ...others] };
};

const quota = throttled(30, { RateLimit: '', 'RateLimit-Policy': '' });

const kept = {
  object: { kind: 'pinpoints', id: 12 },
  outcome: 'kept',
  event: null,
  revision: null,
  reason: 'changed-since',
  fields: ['name'],
  pinpoints: [],
};

const noStore = { 'Cache-Control': 'no-store' };
const forClients = { ...noStore, 'WWW-Authenticate': 'Basic realm="api"' };

/** Every response that is not a success. */
export const problemResponses = {
  BadRequest: describeProblem(
    badRequest('JSON parse error - …'),
    'What was sent is faulty: all the faulty fields at once.',
    'FieldErrors',
    'Detail',
  ),
  NotAuthenticated: describeProblem(notAuthenticated(), 'No token, or one that is not good.'),
  Forbidden: describeProblem(forbidden(), "A missing scope, a suspended application, or another account's object."),
  NotFound: describeProblem(notFound(), 'There is no such object, or no such page.'),
  Deleted: describeProblem(
    deletedObject({ id: '0b6f3c1e-8c1d-4f57-9a35-6f0f6f0b8a11', revision: 3, time: '2026-06-01T08:00:00.000Z' }),
    'There is no such object or revision; or the revision is a deletion, or after one, which the response names.',
    'DeletedDetail',
    'Detail',
  ),
  Erased: describeProblem(gone(), 'The version was erased.'),
  NotCovered: describeProblem(
    notCovered('The last signed checkpoint does not cover the event yet.', 60),
    'No signed checkpoint covers it yet: repeat the request.',
  ),
  Renewed: describeProblem(gone(), 'The log was renewed since the id was issued.'),
  MethodNotAllowed: describeProblem(methodNotAllowed('PATCH', ''), 'The path has no such method.'),
  StillRunning: describeProblem(requestStillRunning(), 'The first request with this Idempotency-Key is still running.'),
  Kept: describeProblem(
    keptAsItIs(kept),
    'Something cannot be undone or restored, so nothing was changed; or the first request with this Idempotency-Key is still running.',
    'KeptReport',
    'Detail',
  ),
  PreconditionFailed: describeProblem(preconditionFailed(), 'The object no longer has the ETag of If-Match.'),
  TooLarge: describeProblem(tooLarge('media_file: larger than 5 MiB.'), 'The body, or a file in it, is too large.'),
  UnsupportedMediaType: describeProblem(
    unsupportedMediaType('Unsupported media type "text/plain" in request.'),
    'The body is not JSON in UTF-8.',
  ),
  KeyReused: describeProblem(keyReused(), 'This Idempotency-Key was used with another body.'),
  Throttled: describeProblem(quota, 'Too many requests.'),
  InternalError: describeProblem(internalError(), 'Our fault; the request id helps to find it.'),
  Unavailable: describeProblem(unavailable('Temporarily unavailable.'), 'Overloaded, or something is away: nothing is half-done.'),
  OAuthBadRequest: describeProblem(
    new HttpError(400, { error: 'invalid_request' }, noStore),
    'RFC 6749, section 5.2.',
    'OAuthError',
    'Detail',
  ),
  InvalidClient: describeProblem(
    new HttpError(401, { error: 'invalid_client' }, forClients),
    'The client credentials are not good.',
    'OAuthError',
  ),
} satisfies Record<string, Response>;

export type ProblemName = keyof typeof problemResponses;
