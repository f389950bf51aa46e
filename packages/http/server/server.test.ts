import { setTimeout as pause } from 'node:timers/promises';
import { createTotal } from '../counters/open-amounts.ts';
import { connectionsMax } from '../limits.ts';
import { lastJson, sendRaw, statusesOf } from '../testing/raw-http.ts';
import { get, ok, useTestServers } from '../testing/serving.ts';
import { listen } from './server.ts';

jest.mock('../limits.ts', () => ({
  ...jest.requireActual<object>('../limits.ts'),
  headersTimeoutMs: 300,
  transferWindowMs: 600,
  connectionsCheckIntervalMs: 50,
  keepAliveTimeoutMs: 400,
  socketIdleMs: 700,
}));

const { served, working } = useTestServers();

describe('a server', () => {
  it('returns the address that it listens on', async () => {
    const { url, port } = await working(ok);
    expect(url).toBe(`http://127.0.0.1:${port}`);
    expect((await fetch(url)).status).toBe(200);
  });

  it('rejects if the address is in use', async () => {
    const { port } = await working(ok);
    await expect(listen(() => undefined, '127.0.0.1', port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('writes an IPv6 address as a URL requires it', async () => {
    const listening = await listen(() => undefined, '::1', 0).catch((error: NodeJS.ErrnoException) => error);
    if (!('url' in listening)) return expect(listening).toMatchObject({ code: expect.stringMatching(/^E(ADDRNOTAVAIL|AFNOSUPPORT)$/) });
    expect(listening.url).toBe(`http://[::1]:${listening.port}`);
    return listening.close(0);
  });
});

describe('the connections of all threads', () => {
  it('are limited: one above the limit is closed, and another may be opened once one is closed', async () => {
    const connections = createTotal();
    connections.change(() => connectionsMax - 1);
    const { port, close } = await listen((_, response) => response.end('{}'), '127.0.0.1', 0, { connections });
    const first = sendRaw(port, get);
    await first.until(/\{\}$/);
    expect(connections.value()).toBe(connectionsMax);
    expect(await sendRaw(port, get).closed).toBe('');
    first.socket.destroy();
    while (connections.value() === connectionsMax) await pause(1);
    expect(statusesOf(await sendRaw(port, get).until(/\{\}$/))).toEqual([200]);
    await close(0);
    while (connections.value() >= connectionsMax) await pause(1);
  });
});

describe('a request that is not valid HTTP', () => {
  it.each([
    ['nonsense', 'hello\r\n\r\n'],
    ['TLS', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc])],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx'],
    ['a length and chunks', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['an invalid length', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    ['a folded header', 'GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n'],
    ['a header without a name', 'GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n'],
    ['NUL in a header', 'GET / HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n'],
    ['a space before the colon', 'GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n'],
    ['an unknown method', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('is answered in JSON: %s', async (_, bytes) => {
    const { port } = await working(ok);
    const received = await sendRaw(port, bytes).until(/\}$/);
    expect(received).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application\/json\r\n/);
    expect(lastJson(received)).toEqual({ detail: 'Bad Request.' });
  });

  it('is answered with 431 if its headers are too large', async () => {
    const { port } = await working(ok);
    const received = await sendRaw(port, `GET / HTTP/1.1\r\nHost: x\r\nA: ${'b'.repeat(17 * 1024)}\r\n\r\n`).until(/\}$/);
    expect(statusesOf(received)).toEqual([431]);
    expect(lastJson(received)).toEqual({ detail: 'Request Header Fields Too Large.' });
  });

  it('is answered with 431 if it has so many headers that some would be dropped', async () => {
    const { port } = await working(ok);
    expect(statusesOf(await sendRaw(port, `GET / HTTP/1.1\r\nHost: x\r\n${'A:\r\n'.repeat(3_000)}\r\n`).until(/\}$/))).toEqual([431]);
  });
});

describe('invalid HTTP after a request', () => {
  it.each(['   ', 'more', '\r\n\r\n}', '{"a":1}'])('does not hide the result of the request: %j', async (garbage) => {
    const { port } = await working(async () => {
      await pause(100);
      return { status: 201, body: '{"id":1}' };
    });
    const received = await sendRaw(port, `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}${garbage}`).closed;
    expect(statusesOf(received)).toEqual([201]);
    expect(lastJson(received)).toEqual({ id: 1 });
  });

  it('is answered with 400 if the request is not complete', async () => {
    const { port } = await served((request) => void request.resume());
    const received = await sendRaw(port, 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n').closed;
    expect(statusesOf(received)).toEqual([400]);
  });
});

describe('a slow client', () => {
  const tooSlow = { detail: 'Request Timeout.' };

  /** Sends a byte at short intervals until the connection is closed. */
  const trickle = async (port: number, head: string): Promise<string> => {
    const spoken = sendRaw(port, head);
    const timer = setInterval(() => spoken.socket.write('a'), 20);
    const received = await spoken.closed;
    clearInterval(timer);
    return received;
  };

  it('is disconnected while it sends its headers', async () => {
    const { port } = await working(ok);
    const received = await trickle(port, 'GET / HTTP/1.1\r\nHost: x\r\nA: ');
    expect(statusesOf(received)).toEqual([408]);
    expect(lastJson(received)).toEqual(tooSlow);
  });

  it('is disconnected while it sends its body', async () => {
    const { port } = await served((request) => void request.resume());
    const received = await trickle(port, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n');
    expect(lastJson(received)).toEqual(tooSlow);
  });

  it('is disconnected if it sends nothing at all', async () => {
    const { port } = await working(ok);
    expect(statusesOf(await sendRaw(port, '').closed)).toEqual([408]);
  });

  it('is disconnected if it does not read its response', async () => {
    const cut = Promise.withResolvers<void>();
    const { port } = await served((_, response) => {
      response.once('close', cut.resolve);
      response.end(Buffer.alloc(64 * 1024 * 1024));
    });
    const spoken = sendRaw(port, get);
    spoken.socket.pause();
    await cut.promise;
    spoken.socket.resume();
    const received = await spoken.closed;
    expect(received.length).toBeLessThan(64 * 1024 * 1024);
  });

  it('is disconnected if it does not send its next request in time', async () => {
    const { port } = await working(ok);
    expect(statusesOf(await sendRaw(port, get).closed)).toEqual([200]);
  });
});
