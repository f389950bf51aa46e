import type { IncomingMessage } from 'node:http';
import { corsHeaders } from './cors.ts';

const origin = 'https://map.example';
const origins = new Set([origin]);

const asking = (from: string | undefined, method = 'GET'): IncomingMessage =>
  Object.assign(Object.create(null) as IncomingMessage, { headers: { origin: from }, method });

const readable = {
  Vary: 'Authorization, Origin',
  'Access-Control-Allow-Origin': origin,
  'Access-Control-Expose-Headers': 'ETag, Link, Retry-After, X-Request-Id, X-Read-Lag',
};

describe('a page of another origin', () => {
  it('may read responses if its origin is configured', () => {
    expect(corsHeaders(origins, asking(origin), 'GET')).toEqual(readable);
  });

  it('may send a preflight request if its origin is configured', () => {
    expect(corsHeaders(origins, asking(origin, 'OPTIONS'), 'GET, OPTIONS')).toEqual({
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
      expect(corsHeaders(origins, asking(from, 'OPTIONS'), 'GET')).toEqual({ Vary: 'Authorization, Origin' });
    },
  );

  it('gets no CORS headers by default', () => {
    expect(corsHeaders(new Set(), asking(origin, 'OPTIONS'), 'GET')).toEqual({});
  });
});
