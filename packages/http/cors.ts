import type { IncomingMessage } from 'node:http';

const exposed = 'ETag, Link, Retry-After, X-Request-Id, X-Read-Lag';
const requestHeaders =
  'Authorization, Content-Type, Correlation-Id, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, X-Request-Id';
const preflightSeconds = 600;

/** Returns the headers that let pages of the configured origins, and no others, read a response.
 * @param allow methods of the path, where the response names them: a page needs them in a preflight response */
export const corsHeaders = (
  origins: ReadonlySet<string>,
  { headers: { origin }, method }: IncomingMessage,
  allow: string | undefined,
): Readonly<Record<string, string>> => {
  if (origins.size === 0) return {};
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
