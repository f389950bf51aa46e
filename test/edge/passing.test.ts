import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeWithNginx, type Edge, startEdge, trustedProxy } from './edge.ts';
import { refusedAuthorization } from './stub.ts';

describeWithNginx('The edge: passes on:', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge();
  });
  beforeEach(() => {
    for (const stub of Object.values(edge.stubs)) stub.reply = undefined;
    edge.arrived();
  });
  afterAll(() => edge.remove());

  const bothGateways = (reply: Edge['stubs']['query']['reply']): void => {
    edge.stubs.query.reply = reply;
    edge.stubs.query2.reply = reply;
  };
  const oneArrived = (): Edge['stubs']['query']['arrived'][number] => {
    const [request, ...others] = edge.arrived();
    expect(others).toEqual([]);
    if (request === undefined) throw new Error('nothing arrived');
    return request;
  };
  /** Returns the values of a header, by its name as it arrived. */
  const valuesOf = (name: string, headers: readonly string[]): string[] =>
    headers.filter((_, at) => at % 2 === 1 && headers[at - 1]?.toLowerCase() === name.toLowerCase());

  it('the requested host, an id, a token, names with underscores', async () => {
    const headers = {
      Host: 'Maps.example:8080',
      'X-Request-Id': 'mine',
      Authorization: 'Bearer x',
      under_score: '1',
      'If-None-Match': '"a"',
    };
    await edge.send({ method: 'GET', path: '/v3.0/lists', headers });
    const arrived = oneArrived().headers;
    for (const [name, value] of Object.entries(headers)) expect([name, valuesOf(name, arrived)]).toEqual([name, [value]]);
  });

  it.each([
    ['the client, whatever address it claims', '127.0.0.2', '203.0.113.7', '127.0.0.2'],
    ['the client that a trusted proxy names', trustedProxy, '203.0.113.7', '203.0.113.7'],
    [
      'the client that a trusted proxy has seen, whatever address that client claims',
      trustedProxy,
      '198.51.100.1, 203.0.113.7',
      '203.0.113.7',
    ],
  ])('the address of %s', async (_, from, forwarded, address) => {
    await edge.send({ method: 'GET', path: '/v3.0/lists', from });
    expect(valuesOf('X-Forwarded-For', oneArrived().headers)).toEqual([from]);
    await edge.send({ method: 'POST', path: '/v3.0/lists', from, headers: { 'X-Forwarded-For': forwarded } });
    expect(valuesOf('X-Forwarded-For', oneArrived().headers)).toEqual([address]);
  });

  it('a body as it arrives: the service sees how slowly the client sends', async () => {
    const socket = connect(edge.port, '127.0.0.1');
    socket.write(
      'POST /v3.0/lists HTTP/1.1\r\nHost: maps.example\r\nContent-Length: 8\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n{"a"',
    );
    const received: Buffer[] = [];
    socket.on('data', (chunk) => received.push(chunk));
    while (received.length === 0) await sleep(10);
    expect(`${received[0]}`).toMatch(/^HTTP\/1\.1 100 /);
    while (edge.stubs.lists.begun.length + edge.stubs.lists2.begun.length === 0) await sleep(10);
    expect(edge.arrived()).toEqual([]);
    socket.write(':1}\n');
    await new Promise((resolve) => socket.once('close', resolve));
    expect(oneArrived()).toMatchObject({ service: expect.stringMatching(/^lists/), bodyBytes: 8 });
  });

  it('a refusal to a client that first sends all of its body', async () => {
    const [pieceBytes, pieces] = [100_000, 20];
    const socket = connect(edge.port, '127.0.0.1');
    const lost: Error[] = [];
    socket.on('error', (error) => lost.push(error)).pause();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(
      `POST /v3.0/pinpoints HTTP/1.1\r\nHost: maps.example\r\nAuthorization: ${refusedAuthorization}\r\nContent-Length: ${pieceBytes * pieces}\r\n\r\n`,
    );
    for (let nth = 0; nth < pieces; nth += 1) {
      socket.write(Buffer.alloc(pieceBytes));
      // Long enough for the response, which ends the connection.
      await sleep(20);
    }
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.resume();
    await closed;
    expect(lost).toEqual([]);
    expect(received).toMatch(/^HTTP\/1\.1 413 .*Too large/s);
  });

  it('a 304 response, an ETag, a response without a body', async () => {
    bothGateways((_, response) => response.writeHead(304, { ETag: '"a"', 'Cache-Control': 'private, no-cache' }).end());
    expect(await edge.send({ method: 'GET', path: '/v3.0/lists/7' })).toMatchObject({ status: 304, text: '', headers: { etag: '"a"' } });
    // If a service sends the full response again, the edge passes it on.
    bothGateways((_, response) => response.writeHead(200, { ETag: '"a"' }).end('all'));
    const same = { 'If-None-Match': '"a"' };
    expect(await edge.send({ method: 'GET', path: '/v3.0/lists/7', headers: same })).toMatchObject({
      status: 200,
      text: 'all',
      headers: { etag: '"a"' },
    });
    edge.stubs.events.reply = (_, response) => response.writeHead(204).end();
    expect(await edge.send({ method: 'DELETE', path: '/v3.0/events/7' })).toMatchObject({ status: 204, text: '' });
  });

  it('a stream of events as it is sent, also after a pause as long as that between two heartbeats', async () => {
    const stream = Promise.withResolvers<ServerResponse>();
    edge.stubs.auditor.reply = (_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' }).write('id: 1\n\n');
      stream.resolve(response);
    };
    const socket = connect(edge.port, '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text;
    });
    const until = async (text: string): Promise<void> => {
      for (const untilMs = performance.now() + 5_000; !received.includes(text); await sleep(10))
        if (performance.now() > untilMs) throw new Error(`Not within 5 s: ${text}`);
    };
    socket.write('GET /audit/v1/activity/stream HTTP/1.1\r\nHost: maps.example\r\nConnection: close\r\n\r\n');
    const response = await stream.promise;
    await until('id: 1\n\n');
    for (const ms of [10, 500, 16_000]) {
      await sleep(ms);
      response.write(`id: after ${ms}\n\n`);
      await until(`id: after ${ms}\n\n`);
    }
    const closed = once(response, 'close');
    socket.destroy();
    await closed;
  });

  it("a service's own 4xx and 5xx, with their headers", async () => {
    for (const status of [400, 401, 404, 405, 413, 429, 500, 503]) {
      bothGateways((_, response) => response.writeHead(status, { 'Retry-After': '7', 'X-Own': 'yes' }).end('{"detail":"Mine."}'));
      const answer = await edge.send({ method: 'GET', path: '/v3.0/lists/7' });
      expect(answer).toMatchObject({ status, text: '{"detail":"Mine."}', headers: { 'retry-after': '7', 'x-own': 'yes' } });
      expect(answer.headers).not.toHaveProperty('cache-control');
    }
  });

  it('the length of a response to HEAD', async () => {
    bothGateways((_, response) => response.writeHead(200, { 'Content-Length': 4711 }).end());
    expect(await edge.send({ method: 'HEAD', path: '/v3.0/lists/7' })).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-length': '4711' },
    });
  });

  it('5 MiB without a changed byte, also to a slow reader', async () => {
    const file = randomBytes(5 * 1024 * 1024);
    bothGateways((_, response) => response.writeHead(200, { 'Content-Type': 'image/png', 'Content-Length': file.length }).end(file));
    const headers = { 'Accept-Encoding': 'gzip, br' };
    const answer = await edge.send({ method: 'GET', path: '/media/0f.png', headers });
    expect(answer.bytes.equals(file)).toBe(true);
    expect(answer.headers).not.toHaveProperty('content-encoding');

    const socket = connect(edge.port, '127.0.0.1');
    socket.write('GET /media/0f.png HTTP/1.1\r\nHost: maps.example\r\nConnection: close\r\n\r\n');
    const chunks: Buffer[] = [];
    for await (const chunk of socket) {
      chunks.push(chunk);
      await sleep(5);
    }
    expect(Buffer.concat(chunks).subarray(-file.length).equals(file)).toBe(true);
  });

  it('a response with long headers', async () => {
    bothGateways((_, response) => response.writeHead(200, { 'X-Long': 'x'.repeat(12_000) }).end());
    expect((await edge.send({ method: 'GET', path: '/v3.0/lists/7' })).headers['x-long']).toHaveLength(12_000);
  });
});
