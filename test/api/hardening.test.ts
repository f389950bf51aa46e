import { statusAndBody, statusOfBytes } from './client.ts';
import { aList } from './samples.ts';
import type { Session } from './session.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

const json = { 'Content-Type': 'application/json' };
const host = (): string => new URL(waymark.url()).host;

/** Returns a request written by hand. */
const raw = (me: Session, lines: readonly string[], body = ''): string =>
  [`${lines[0]} HTTP/1.1`, `Host: ${host()}`, `Authorization: Bearer ${me.token}`, 'Connection: close', ...lines.slice(1), '', body].join(
    '\r\n',
  );

const nested = (depth: number): string => `{"name":"x","extra":${'['.repeat(depth)}${']'.repeat(depth)}}`;

describe('Hardening:', () => {
  it.each([
    ['a second Authorization', (me: Session) => `Authorization: Bearer ${me.token}`],
    ['another Authorization', () => 'Authorization: Bearer x'],
    ['a second Host', () => 'Host: evil.example'],
  ])('%s is refused', async (_, header) => {
    const me = await waymark.account();
    expect(statusOfBytes(await waymark.sendBytes(raw(me, ['GET /v3.0/lists'])))).toBe(200);
    expect(statusOfBytes(await waymark.sendBytes(raw(me, ['GET /v3.0/lists', header(me)])))).toBe(400);
  });

  it.each([
    [
      'a length and chunks',
      ['POST /v3.0/lists', 'Content-Type: application/json', 'Content-Length: 3', 'Transfer-Encoding: chunked'],
      '0\r\n\r\n',
    ],
    ['two lengths', ['POST /v3.0/lists', 'Content-Type: application/json', 'Content-Length: 2', 'Content-Length: 3'], '{} '],
    ['a length that is no number', ['POST /v3.0/lists', 'Content-Type: application/json', 'Content-Length: x'], '{}'],
    ['a chunk that is none', ['POST /v3.0/lists', 'Content-Type: application/json', 'Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n'],
    ['a header with a NUL', ['GET /v3.0/lists', 'X-Request-Id: a\0b'], ''],
    ['no HTTP', ['GARBAGE'], ''],
  ])('%s: 400', async (_, lines, body) => {
    const me = await waymark.account();
    expect(statusOfBytes(await waymark.sendBytes(raw(me, lines, body)))).toBe(400);
  });

  it('a request without Host is refused', async () => {
    expect(statusOfBytes(await waymark.sendBytes('GET /v3.0/lists HTTP/1.1\r\nConnection: close\r\n\r\n'))).toBe(400);
  });

  it('headers larger than every limit are refused', async () => {
    const me = await waymark.account();
    const answer = await waymark.sendBytes(raw(me, ['GET /v3.0/lists', `X-Long: ${'x'.repeat(100_000)}`]));
    expect(statusOfBytes(answer)).toBe(431);
  });

  it.each([
    ['a body beyond every limit', {}, 413],
    ['a body that is not read', { Authorization: 'Bearer x' }, 401],
  ])('%s is refused, and the client receives the response although the connection is closed', async (_, headers, status) => {
    const me = await waymark.account();
    const body = Buffer.alloc(48 * 1024 * 1024, ' ');
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => me.send('POST', '/lists', { headers: { ...json, ...headers, Connection: 'close' }, body })),
    );
    expect(answers.map((answer) => answer.status)).toEqual([status, status, status, status]);
  });

  it('a chunked body is accepted like one with a length', async () => {
    const me = await waymark.account();
    const body = '{"name":"Walks"}';
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const answer = await waymark.sendBytes(
      raw(me, ['POST /v3.0/lists', 'Content-Type: application/json', 'Transfer-Encoding: chunked'], chunked),
    );
    expect(statusOfBytes(answer)).toBe(201);
  });

  it.each([
    ['a byte that starts nothing', [0xff]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a character cut off', [0xe2, 0x82]],
    ['beyond the last character', [0xf4, 0x90, 0x80, 0x80]],
    ['Latin 1', [0xe9]],
  ])('a body that is not UTF-8 is refused: %s', async (_, bytes) => {
    const me = await waymark.account();
    const body = Buffer.concat([Buffer.from('{"name":"a'), Buffer.from(bytes), Buffer.from('b"}')]);
    const answer = await me.send('POST', '/lists', { headers: json, body });
    expect(statusAndBody(answer)).toEqual({ status: 400, body: { detail: expect.any(String) } });
  });

  it.each([100, 10_000, 1_000_000])('a body nested %d deep is refused', async (depth) => {
    const me = await waymark.account();
    const answer = await me.send('POST', '/lists', { headers: json, body: nested(depth) });
    expect(statusAndBody(answer)).toEqual({ status: 400, body: { detail: expect.any(String) } });
  });

  it('a body with little nesting is accepted', async () => {
    const me = await waymark.account();
    expect((await me.send('POST', '/lists', { headers: json, body: nested(8) })).status).toBe(201);
  });

  it.each(['%', '%zz', '%c0%af', '%ff', '%00'])('a path that is not valid text causes no server error: %s', async (path) => {
    const me = await waymark.account();
    const answer = await me.get(`/lists/${path}`);
    expect([400, 404]).toContain(answer.status);
  });

  it.each([
    'limit[$gt]=1',
    'list[]=1',
    'list=1&list=2',
    'list[a][b]=1',
    '__proto__[x]=1',
    'constructor=1',
    'cursor=',
    '&&&=&',
    'x=1&'.repeat(20),
  ])('an unexpected query causes no server error: %s', async (query) => {
    const me = await waymark.account();
    expect([200, 400, 404]).toContain((await me.get(`/pinpoints?${query}`)).status);
  });

  it('many fields cause no server error', async () => {
    const me = await waymark.account();
    const fields = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`field${at}`, at]));
    expect((await me.post('/lists', { ...fields, ...aList() })).status).toBeLessThan(500);
  });

  it('an unknown method is not allowed', async () => {
    const me = await waymark.account();
    for (const method of ['TRACE', 'PROPFIND']) expect((await me.send(method, '/lists')).status).toBe(405);
  });

  it('X-HTTP-Method-Override has no effect', async () => {
    const me = await waymark.account();
    const made = await me.create('/lists', aList());
    expect((await me.get(`/lists/${made.id}`, { 'X-HTTP-Method-Override': 'DELETE' })).body).toEqual(made);
    expect(await me.read(`/lists/${made.id}`)).toEqual(made);
  });
});
