import type { Json } from './schemas.ts';

const text = { type: 'string' };

/** Response headers. */
export const headers = {
  'X-Request-Id': { description: 'Names the request: as it was sent, or made up.', schema: text },
  ETag: { description: 'Names the revision of the object.', schema: text },
  'X-Read-Lag': { description: 'Stored, but not every reader sees it yet.', schema: { type: 'string', const: 'true' } },
  'X-As-Of-Event': { description: 'The last event of the account that the response includes; empty: none.', schema: text },
  Link: { description: 'The next page, as `<URL>; rel="next"`; missing after the last one.', schema: text },
  'Retry-After': { description: 'Seconds after which a repeat makes sense.', schema: { type: 'integer', minimum: 1 } },
  'WWW-Authenticate': { description: 'How to authenticate; after a bad token with `error="invalid_token"`.', schema: text },
  Allow: { description: 'The methods that the path has.', schema: text },
  RateLimit: { description: 'What is left of the quota, and for how long.', schema: text },
  'RateLimit-Policy': { description: 'The quota and its window.', schema: text },
  'Cache-Control': { description: 'How long the answer may be kept.', schema: text },
} satisfies Record<string, Json>;

export type HeaderName = keyof typeof headers;

/** Returns references to the headers of a response. Every response has a request id. */
export const headerRefs = (...names: readonly HeaderName[]): Json =>
  Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
