import { HttpError } from '@waymark/http/errors.ts';

/** Creates an error response of RFC 6749, section 5.2. */
const oauthProblem = (status: number, error: string, description?: string, headers: Record<string, string> = {}): HttpError =>
  new HttpError(status, description === undefined ? { error } : { error, error_description: description }, {
    ...noStore,
    ...headers,
  });

/** No cache may store a response about tokens. */
export const noStore = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

export const invalidClient = (): HttpError => oauthProblem(401, 'invalid_client', undefined, { 'WWW-Authenticate': 'Basic realm="api"' });
export const invalidRequest = (description: string): HttpError => oauthProblem(400, 'invalid_request', description);
export const invalidScope = (): HttpError => oauthProblem(400, 'invalid_scope');
export const unauthorizedClient = (): HttpError => oauthProblem(400, 'unauthorized_client');
export const unsupportedGrantType = (): HttpError => oauthProblem(400, 'unsupported_grant_type');
