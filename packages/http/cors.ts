import type { IncomingMessage } from 'node:http';
import type { Answer } from './call.ts';

const exposed = 'ETag, Link, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-As-Of-Event, X-Read-Lag, X-Request-Id';
const requestHeaders =
  'Authorization, Content-Type, Correlation-Id, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, X-Request-Id';
const preflightSeconds = 600;

/** Returns the headers that let pages of the configured origins, and no others, read a response.
 * @param own the response's own headers. A response that is open to all pages stays as it is, for every origin: shared caches keep it. A
 *   preflight response needs its `Allow` */
export const corsHeaders = (
  origins: ReadonlySet<string>,
  { headers: { origin }, method }: IncomingMessage,
  own: Answer['headers'] = {},
): Readonly<Record<string, string>> => {
  if (origins.size === 0 || own['Access-Control-Allow-Origin'] !== undefined) return {};
  const allow = own['Allow'];
  if (origin === undefined || !origins.has(origin)) return { Vary: 'Authorization, Origin' };
  return {
    Vary: 'Authorization, Origin',
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': exposed,
    ...(method === 'OPTIONS' && allow !== undefined ? preflightHeaders(allow) : {}),
  };
};

const preflightHeaders = (allow: string): Readonly<Record<string, string>> => ({
  'Access-Control-Allow-Methods': allow,
  'Access-Control-Allow-Headers': requestHeaders,
  'Access-Control-Max-Age': `${preflightSeconds}`,
});
