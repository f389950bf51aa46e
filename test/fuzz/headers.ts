import type { OutgoingHttpHeaders } from 'node:http';
import type { Random } from '../crash/random.ts';

/** Content types of a body, including correct ones. */
const types: readonly string[] = [
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
  'application/json; charset=latin1',
  'application/jsonx',
  'text/json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'APPLICATION/JSON',
  '',
  ',',
  'application/json, text/html',
  `application/json; ${'x'.repeat(2_000)}=y`,
];

export const contentType = (right: string, random: Random): OutgoingHttpHeaders => {
  if (random.chance(0.9)) return { 'Content-Type': right };
  return random.chance(0.2) ? {} : { 'Content-Type': random.pick(types) };
};

const extra: readonly OutgoingHttpHeaders[] = [
  { 'If-Match': '*' },
  { 'If-Match': '"x"' },
  { 'If-Match': ',,"' },
  { 'If-None-Match': '*' },
  { 'If-None-Match': 'W/"x", "y"' },
  { 'X-Request-Id': 'x'.repeat(300) },
  { 'X-Request-Id': 'fine' },
  { 'X-Request-Id': '\u00e9 ' },
  { Accept: 'text/html' },
  { 'Accept-Encoding': 'gzip, br' },
  { 'Content-Encoding': 'gzip' },
  { 'Content-Encoding': 'identity' },
  { Prefer: 'return=minimal' },
  { Prefer: 'return=minimal;;,="' },
  { 'X-HTTP-Method-Override': 'DELETE' },
  { 'X-Forwarded-For': '::1, x' },
  { 'X-Forwarded-Host': 'evil.example' },
  { Origin: 'https://evil.example' },
  { Cookie: 'a=b; __proto__=c' },
  { Range: 'bytes=0-1' },
  { Expect: 'the-unexpected' },
  // After this header, Node does not report an error in the connection's next request until the time limit for headers has passed.
  { Upgrade: 'websocket', Connection: 'Upgrade, close' },
  { 'Idempotency-Key': '' },
  { 'Idempotency-Key': 'a b' },
  { 'Idempotency-Key': 'k'.repeat(300) },
  { 'Correlation-Id': '' },
  { 'Correlation-Id': 'x'.repeat(300) },
  { 'Correlation-Id': '0190A1C2-7b1e-7c3d-8a44-2f1e5d6c7b8a' },
  { 'X-Long': 'x'.repeat(8_000) },
  { 'X-Too-Long': 'x'.repeat(20_000) },
];

/** Sometimes returns headers that a request is not expected to have, or not with this value. */
export const oddHeaders = (random: Random): OutgoingHttpHeaders => (random.chance(0.2) ? { ...random.pick(extra) } : {});

const credentials: readonly (string | undefined)[] = [
  undefined,
  '',
  'Bearer',
  'Bearer ',
  'Bearer x',
  'Basic eDp5',
  'bearer \u00e9',
  'Bearer a b',
];

/** Returns the correct credentials in most cases. */
export const authorization = (right: string, random: Random): OutgoingHttpHeaders => {
  if (random.chance(0.96)) return { Authorization: right };
  const wrong = random.pick(credentials);
  return wrong === undefined ? {} : { Authorization: wrong };
};
