import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { sendRaw, statusesOf } from '../testing/raw-http.ts';
import { get, ok, useTestServers } from '../testing/serving.ts';

const mockLimits = { lingerMs: 60_000, lingerQuietMs: 60_000 };

jest.mock('../limits.ts', () => ({
  ...jest.requireActual<object>('../limits.ts'),
  get lingerMs() {
    return mockLimits.lingerMs;
  },
  get lingerQuietMs() {
    return mockLimits.lingerQuietMs;
  },
}));

afterEach(() => {
  Object.assign(mockLimits, { lingerMs: 60_000, lingerQuietMs: 60_000 });
});

const { served, working } = useTestServers();

const megabytes = Buffer.alloc(6 * 1024 * 1024, 'x');
const post = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${megabytes.length}\r\n`;

describe('the last response on a connection', () => {
  it.each([
    ['headers are too large', `${post}A: ${'b'.repeat(20 * 1024)}\r\n\r\n`, 431],
    ['request is not HTTP', `${post}: b\r\n\r\n`, 400],
    ['body is not read', `${post}Connection: close\r\n\r\n`, 200],
  ])('reaches a client that sends everything before it reads, and whose %s', async (_, head, status) => {
    const { port } = await working(ok);
    const { socket, closed } = sendRaw(port, head);
    socket.pause();
    await new Promise<unknown>((resolve) => socket.write(megabytes, resolve));
    await pause(50);
    socket.resume();
    expect(statusesOf(await closed)).toEqual([status]);
  });
});

/** Returns a client that has received its last response and does not end its side of the connection, the requests of that connection, and a
 * promise that the server's side is closed. */
const answered = async () => {
  const requests: IncomingMessage[] = [];
  const { port } = await served((request, response) => {
    requests.push(request);
    response.end();
  });
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  socket.resume();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await once(socket, 'end');
  return { socket, requests, closed: once(requests[0]?.socket as Socket, 'close') };
};

describe('a connection after its last response, while the client does not end it', () => {
  it('accepts no further request', async () => {
    const { socket, requests, closed } = await answered();
    socket.end(get);
    await closed;
    expect(requests.length).toBe(1);
  });

  it('is closed if no data arrives', async () => {
    mockLimits.lingerQuietMs = 200;
    const { socket, closed } = await answered();
    await closed;
    socket.destroy();
  });

  it('is closed after a time limit if data arrives', async () => {
    mockLimits.lingerMs = 200;
    const { socket, closed } = await answered();
    const timer = setInterval(() => socket.write('x'), 20);
    await closed;
    clearInterval(timer);
    socket.destroy();
  });
});
