import type { Random } from '../crash/random.ts';
import { mutatedBytes } from './raw-mutations.ts';

/** Bytes for one connection, and the largest number of writes that they can cause. */
export type Bytes = { readonly bytes: Buffer; readonly writesMax: number };

type Lines = readonly string[];

const request = (lines: Lines, body = ''): string => `${lines.join('\r\n')}\r\n\r\n${body}`;

/** Returns a well-formed request. Errors are introduced later. */
const wellFormed = (token: string, random: Random): string => {
  const common = ['Host: waymark.test', `Authorization: Bearer ${token}`];
  const body = `{"name":"raw ${random.below(1e9)}"}`;
  const json = [...common, 'Content-Type: application/json'];
  const forms: readonly (() => string)[] = [
    () => request(['POST /v3.0/lists HTTP/1.1', ...json, `Content-Length: ${body.length}`], body),
    () => request(['POST /v3.0/lists HTTP/1.1', ...json, 'Transfer-Encoding: chunked'], chunked(body, random)),
    () => request(['POST /v3.0/lists HTTP/1.1', ...json, `Content-Length: ${body.length}`, 'Expect: 100-continue'], body),
    () => request(['POST /v3.0/lists HTTP/1.1', ...json, `Content-Length: ${body.length}`, 'Connection: close'], body),
    () => request(['GET /v3.0/lists?limit=1 HTTP/1.1', ...common]),
    () => request(['GET /v3.0/lists/1 HTTP/1.0', ...common]),
    () => request(['DELETE /v3.0/categories/1 HTTP/1.1', ...common]),
    () => request(['OPTIONS * HTTP/1.1', ...common]),
  ];
  return random.pick(forms)?.() ?? '';
};

const chunked = (body: string, random: Random): string => {
  const at = 1 + random.below(body.length - 1);
  const chunk = (part: string): string => `${part.length.toString(16)}${random.chance(0.2) ? ';a="b"' : ''}\r\n${part}\r\n`;
  return `${chunk(body.slice(0, at))}${chunk(body.slice(at))}0\r\n${random.chance(0.2) ? 'X-Trailer: y\r\n' : ''}\r\n`;
};

const json = 'Content-Type: application/json';

/** Returns requests that HTTP itself forbids, or that HTTP implementations have misinterpreted. */
const crafted = (token: string): Lines => {
  const auth = `Host: a\r\nAuthorization: Bearer ${token}`;
  const post = `POST /v3.0/lists HTTP/1.1\r\n${auth}\r\n${json}`;
  return [
    `${post}\r\nContent-Length: 13\r\nContent-Length: 14\r\n\r\n{"name":"x"}  `,
    `${post}\r\nContent-Length: -1\r\n\r\n{"name":"x"}`,
    `${post}\r\nContent-Length: 1e1\r\n\r\n{"name":"x"}`,
    `${post}\r\nContent-Length: 99999999999999999999\r\n\r\n{"name":"x"}`,
    `${post}\r\nContent-Length: 12\r\nTransfer-Encoding: chunked\r\n\r\nc\r\n{"name":"x"}\r\n0\r\n\r\n`,
    `${post}\r\nTransfer-Encoding: chunked, chunked\r\n\r\nc\r\n{"name":"x"}\r\n0\r\n\r\n`,
    `${post}\r\nTransfer-Encoding: gzip\r\n\r\n{"name":"x"}`,
    `${post}\r\nTransfer-Encoding : chunked\r\n\r\nc\r\n{"name":"x"}\r\n0\r\n\r\n`,
    `${post}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{"name":"x"}\r\n0\r\n\r\n`,
    `${post}\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{"name":"x"}\r\n`,
    `${post}\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(500)}`,
    `${post}\r\nTransfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(40_000)}\r\n{\r\n`,
    `${post}\r\n folded: header\r\nContent-Length: 2\r\n\r\n{}`,
    `GET /v3.0/lists HTTP/1.1\r\n${auth}\r\nAuthorization: Bearer x\r\n\r\n`,
    `GET /v3.0/lists HTTP/1.1\r\n${auth}\r\nHost: b\r\n\r\n`,
    'GET /v3.0/lists HTTP/1.1\r\n\r\n',
    'GET /v3.0/lists\r\n\r\n',
    'GET /v3.0/lists HTTP/9.9\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    `GET http://evil.example/v3.0/lists HTTP/1.1\r\n${auth}\r\n\r\n`,
    `CONNECT evil.example:443 HTTP/1.1\r\n${auth}\r\n\r\n`,
    `TRACE /v3.0/lists HTTP/1.1\r\n${auth}\r\n\r\n`,
    `get /v3.0/lists HTTP/1.1\r\n${auth}\r\n\r\n`,
    `GET /v3.0/lists\u0000 HTTP/1.1\r\n${auth}\r\n\r\n`,
    `GET /v3.0/lists HTTP/1.1\r\n${auth}\r\nX-A: a\u0000b\r\n\r\n`,
    `GET /v3.0/lists HTTP/1.1\r\n${auth}\r\nX-Ä: b\r\n\r\n`,
    `GET /v3.0/lists HTTP/1.1\r\n${auth}\r\n: nameless\r\n\r\n`,
    `GET /v3.0/lists HTTP/1.1\r\n${auth}\r\n${'X-A: b\r\n'.repeat(3_000)}\r\n`,
    `GET /v3.0/lists HTTP/1.1\n${auth.replace('\r', '')}\n\n`,
    `GET  /v3.0/lists  HTTP/1.1\r\n${auth}\r\n\r\n`,
    `GET /${'x'.repeat(40_000)} HTTP/1.1\r\n${auth}\r\n\r\n`,
    `POST /v3.0/oauth2/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 5\r\n\r\na=b`,
    `GET /v3.0/lists HTTP/1.1\r\n${auth}\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: x\r\n\r\n`,
    `GET /v3.0/lists HTTP/1.1\r\n${auth}\r\nExpect: the-unexpected\r\n\r\n`,
    '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
    '\r\n\r\n\r\n',
    '\u0000'.repeat(100),
    '{"name":"x"}',
  ];
};

/** Returns one request or several in a row, well-formed or altered. Some are cut off. */
export const rawBytes = (token: string, random: Random): Bytes => {
  if (random.chance(0.25)) {
    const text = random.pick(crafted(token)) ?? '';
    return { bytes: Buffer.from(text, 'latin1'), writesMax: writesIn(text) };
  }
  const text = Array.from({ length: random.chance(0.3) ? 2 + random.below(6) : 1 }, () => wellFormed(token, random)).join('');
  const bytes = Buffer.from(text, 'latin1');
  const changed = random.chance(0.7) ? mutatedBytes(bytes, random) : bytes;
  const cut = random.chance(0.2) ? changed.subarray(0, random.below(changed.length + 1)) : changed;
  return { bytes: cut, writesMax: writesIn(cut.toString('latin1')) + 1 };
};

const writesIn = (text: string): number => text.split('/v3.0/lists HTTP').length - 1;
