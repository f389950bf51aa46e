import { bodyBytesMax } from '@waymark/http/limits.ts';
import { statusOfBytes } from '../api/client.ts';
import { describeWithNginx, type Edge, startEdge } from './edge.ts';

const ownHeaders = {
  'content-type': 'application/json',
  'cache-control': 'private, no-cache',
  vary: 'Authorization',
  'x-content-type-options': 'nosniff',
};
const host = 'Host: maps.example';
const mebibyte = 1024 * 1024;

/** Returns the status, the headers (names in lower case) and the body of a raw response. */
const read = (raw: string) => {
  const [head = '', body] = raw.split('\r\n\r\n');
  const lines = head.split('\r\n').slice(1);
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  return { status: statusOfBytes(raw), headers, body };
};

/** Bytes of a chunk of a client that streams. */
const streamedBytes = 16_384;

/** Returns a body of blanks in chunks of this size. */
const chunksOf = (bytes: number, chunkBytes: number): readonly Buffer[] => {
  const chunks: Buffer[] = [];
  for (let left = bytes; left > 0; left -= chunkBytes) {
    const size = Math.min(left, chunkBytes);
    chunks.push(Buffer.from(`${size.toString(16)}\r\n`), Buffer.alloc(size, ' '), Buffer.from('\r\n'));
  }
  return [...chunks, Buffer.from('0\r\n\r\n')];
};

describeWithNginx('The edge: responses of nginx itself:', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge();
  });
  beforeEach(() => {
    edge.arrived();
  });
  afterAll(() => edge.remove());

  const own = async (request: readonly string[], body = ''): Promise<ReturnType<typeof read>> =>
    read(await edge.sendBytes([...request, '', body].join('\r\n')));

  it.each([
    ['no HTTP', ['GARBAGE HTTP/1.1', host], ''],
    ['a method in lower case', ['get / HTTP/1.1', host], ''],
    ['HTTP/2 without TLS', ['PRI * HTTP/2.0', ''], 'SM\r\n\r\n'],
    ['a tunnel', ['CONNECT maps.example:80 HTTP/1.1', host], ''],
    ['no Host', ['GET / HTTP/1.1'], ''],
    ['two Hosts', ['GET / HTTP/1.1', host, 'Host: evil.example'], ''],
    ['two Authorizations', ['GET / HTTP/1.1', host, 'Authorization: Bearer a', 'Authorization: Bearer b'], ''],
    ['a header with a NUL', ['GET / HTTP/1.1', host, 'X-Request-Id: a\0b'], ''],
    ['two lengths', ['POST /v3.0/lists HTTP/1.1', host, 'Content-Length: 2', 'Content-Length: 3'], '{} '],
    ['a length that is not a number', ['POST /v3.0/lists HTTP/1.1', host, 'Content-Length: x'], '{}'],
    ['a length and chunks', ['POST /v3.0/lists HTTP/1.1', host, 'Content-Length: 3', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
    ['invalid chunks', ['POST /v3.0/lists HTTP/1.1', host, 'Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n'],
    ['an unknown encoding', ['POST /v3.0/lists HTTP/1.1', host, 'Transfer-Encoding: gzip'], ''],
  ])('400: %s', async (_, request, body) => {
    const answer = await own(request, body);
    expect(answer).toMatchObject({ status: 400, headers: ownHeaders });
    expect(JSON.parse(answer.body ?? '')).toEqual({ detail: expect.any(String) });
    expect(edge.arrived()).toEqual([]);
  });

  it('414 and 431: lines longer than 16 KiB', async () => {
    const long = 'x'.repeat(16 * 1024);
    expect(await own([`GET /${long} HTTP/1.1`, host])).toMatchObject({
      status: 414,
      headers: ownHeaders,
      body: '{"detail":"URI Too Long."}',
    });
    expect(await own(['GET / HTTP/1.1', host, `X-Long: ${long}`])).toMatchObject({
      status: 431,
      headers: ownHeaders,
      body: '{"detail":"Request Header Fields Too Large."}',
    });
    expect(edge.arrived()).toEqual([]);
  });

  it('has the id of the request, if that id is valid', async () => {
    const named = async (id: string): Promise<string | undefined> =>
      (await own(['GET /%zz HTTP/1.1', host, `X-Request-Id: ${id}`, 'Connection: close'])).headers['x-request-id'];
    // nginx stops reading a request at an invalid path, before this header.
    expect(await named('mine')).toMatch(/^[0-9a-f]{32}$/);
    const asked = (id: string): Promise<ReturnType<typeof read>> =>
      own(['POST /v3.0/lists HTTP/1.1', host, `X-Request-Id: ${id}`, 'Transfer-Encoding: chunked'], 'zz\r\n\r\n');
    expect((await asked('mine')).headers['x-request-id']).toBe('mine');
    expect((await asked('two words')).headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
  });

  it('shows no version in any header or body, whether nginx or a service answers', async () => {
    const requests = [
      ['GET / HTTP/1.1', host, 'Connection: close'],
      ['GET /%zz HTTP/1.1', host],
      ['GARBAGE HTTP/1.1', host],
      ['GET /-/503 HTTP/1.1', host, 'Connection: close'],
      ['TRACE / HTTP/1.1', host, 'Connection: close'],
      [`GET /${'x'.repeat(16 * 1024)} HTTP/1.1`, host],
    ];
    for (const request of requests) {
      const { headers, body } = await own(request);
      expect(headers['server'] ?? 'nginx').toBe('nginx');
      expect([JSON.stringify(headers), body].join('')).not.toMatch(/nginx\/|\d+\.\d+\.\d+ \(|<center>/);
    }
    await edge.stubs.events.stop();
    const unavailable = await edge.send({ method: 'POST', path: '/v3.0/events', body: '{}' });
    await edge.stubs.events.start();
    expect(unavailable).toMatchObject({ status: 503, text: '{"detail":"Temporarily unavailable."}' });
    expect(unavailable.headers['server'] ?? 'nginx').toBe('nginx');
  });

  /** Sends a body of this size three times: with its length, as one chunk, and in chunks, as a client that streams. */
  const sendBody = async (method: string, path: string, bytes: number): Promise<{ status: number; body: unknown }[]> => {
    const answer = await edge.send({ method, path, body: Buffer.alloc(bytes, ' ') });
    const answers = [{ status: answer.status, body: answer.text as unknown }];
    const head = [`${method} ${path} HTTP/1.1`, host, 'Transfer-Encoding: chunked', 'Connection: close', '', ''].join('\r\n');
    for (const chunkBytes of [bytes, streamedBytes]) {
      const raw = await edge.sendBytes(Buffer.concat([Buffer.from(head), ...chunksOf(bytes, chunkBytes)]));
      answers.push({ status: statusOfBytes(raw), body: read(raw).body });
    }
    return answers;
  };

  describe.each([
    ['a pinpoint, which may hold a file', 'PUT', '/v3.0/pinpoints/7', bodyBytesMax],
    ['a category, which may hold a file', 'POST', '/v3.0/categories', bodyBytesMax],
    ['a happening, which may hold a file', 'POST', '/v3.0/events/', bodyBytesMax],
    ['a list', 'POST', '/v3.0/lists', mebibyte * 2],
    ['memberships', 'DELETE', '/v3.0/lists/7/pinpoints?x=1', mebibyte * 2],
    ['a token request', 'POST', '/v3.0/oauth2/token', 16 * 1024],
  ])('a body of %s', (_, method, path, bytesMax) => {
    it('arrives whole up to its limit, with a length and in chunks', async () => {
      expect(await sendBody(method, path, bytesMax)).toMatchObject([{ status: 200 }, { status: 200 }, { status: 200 }]);
      expect(edge.arrived().map(({ bodyBytes }) => bodyBytes)).toEqual([bytesMax, bytesMax, bytesMax]);
    });

    it('is refused above its limit by its service, which gets only a length that it rejects', async () => {
      const refused = { status: 413, body: '{"detail":"Too large."}' };
      expect(await sendBody(method, path, bytesMax + 1)).toEqual([refused, refused, refused]);
      // A body in chunks may have begun to arrive before nginx cut it off.
      const told = edge.arrived().filter(({ headers }) => headers.includes('Content-Length'));
      expect(told).toHaveLength(3);
      for (const request of told) {
        expect(request).toMatchObject({ method, url: path, bodyBytes: 0 });
        expect(request.headers).not.toContain('Transfer-Encoding');
        expect(request.headers.join('\n')).toContain(`Content-Length\n${bodyBytesMax + 1}\nConnection\nclose\n`);
      }
      // The next requests are not taken for the body that never arrived.
      for (let asked = 0; asked < 4; asked += 1) expect((await edge.send({ method, path, body: '{}' })).status).toBe(200);
    });
  });
});
