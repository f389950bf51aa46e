import type { IncomingMessage } from 'node:http';
import { corsHeaders } from './cors.ts';

const origin = 'https://map.example';
const origins = new Set([origin]);

const asking = (from: string | undefined, method = 'GET'): IncomingMessage =>
  Object.assign(Object.create(null) as IncomingMessage, { headers: { origin: from }, method });

const readable = {
  Vary: 'Authorization, Origin',
  'Access-Control-Allow-Origin': origin,
  'Access-Control-Expose-Headers':
    'ETag, Link, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-As-Of-Event, X-Read-Lag, X-Request-Id',
};

describe('a page of another origin', () => {
  it('may read responses if its origin is configured', () => {
    expect(corsHeaders(origins, asking(origin), { Allow: 'GET' })).toEqual(readable);
  });

  it('may send a preflight request if its origin is configured', () => {
    expect(corsHeaders(origins, asking(origin, 'OPTIONS'), { Allow: 'GET, OPTIONS' })).toEqual({
      ...readable,
      'Access-Control-Allow-Methods': 'GET, OPTIONS',
      'Access-Control-Allow-Headers':
        'Authorization, Content-Type, Correlation-Id, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, X-Request-Id',
      'Access-Control-Max-Age': '600',
    });
  });

  it.each([undefined, 'https://evil.example', 'https://map.example.evil', 'null', '*', 'https://MAP.example', 'http://map.example', ''])(
    'may do neither if its origin is not configured: %s',
    (from) => {
      expect(corsHeaders(origins, asking(from), undefined)).toEqual({ Vary: 'Authorization, Origin' });
      expect(corsHeaders(origins, asking(from, 'OPTIONS'), { Allow: 'GET' })).toEqual({ Vary: 'Authorization, Origin' });
    },
  );

  it.each([undefined, origin, 'https://evil.example'])('may read what every page may read, with the same headers: %s', (from) => {
    expect(corsHeaders(origins, asking(from), { 'Access-Control-Allow-Origin': '*' })).toEqual({});
  });

  it('gets no CORS headers by default', () => {
    expect(corsHeaders(new Set(), asking(origin, 'OPTIONS'), { Allow: 'GET' })).toEqual({});
  });
});
