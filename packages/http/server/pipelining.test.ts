import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { waitingRequestsMax } from '../limits.ts';
import { sendRaw, statusesOf } from '../testing/raw-http.ts';
import { useTestServers } from '../testing/serving.ts';

const { served } = useTestServers();

const getting = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

type Begun = { readonly url: string; readonly socket: Socket; readonly answer: (body?: string | Buffer) => void };

/** Starts a server whose requests are answered by the test. */
const byHand = async (headers: Readonly<Record<string, string>> = {}) => {
  const begun: Begun[] = [];
  const listener: RequestListener = (request, response) => {
    const answer = (body: string | Buffer = request.url ?? ''): void => {
      response.writeHead(200, { 'Content-Length': Buffer.byteLength(body), ...headers });
      response.end(body);
    };
    begun.push({ url: request.url ?? '', socket: request.socket, answer });
  };
  const { port } = await served(listener);
  const until = async (count: number): Promise<void> => {
    while (begun.length < count) await turn();
  };
  return { port, begun, until };
};

/** Waits long enough for a handler to begin that must not begin. */
const settled = () => pause(100);

describe('pipelined requests on a connection', () => {
  it('begin only when the previous response is written out, and are answered in order', async () => {
    const { port, begun, until } = await byHand();
    const client = sendRaw(port, [1, 2, 3].map((n) => getting(`/${n}`)).join(''));
    for (const n of [1, 2, 3]) {
      await until(n);
      await settled();
      expect(begun.map(({ url }) => url)).toEqual(['/1', '/2', '/3'].slice(0, n));
      begun[n - 1]?.answer();
    }
    expect((await client.until(/\/3$/)).match(/\/\d$/gm)).toEqual(['/3']);
    expect(statusesOf(client.received())).toEqual([200, 200, 200]);
    client.socket.destroy();
  });

  it('wait while the client does not read the previous response', async () => {
    const { port, begun, until } = await byHand();
    const client = sendRaw(port, getting('/1') + getting('/2'));
    client.socket.pause();
    await until(1);
    begun[0]?.answer(Buffer.alloc(32 * 1024 * 1024));
    await settled();
    expect(begun.map(({ url }) => url)).toEqual(['/1']);
    client.socket.resume();
    await until(2);
    client.socket.destroy();
  });

  it('are not read beyond those that arrived with the first, and are all answered in the end', async () => {
    const { port, begun, until } = await byHand();
    const count = 3_000;
    const padding = `X-Padding: ${'x'.repeat(500)}\r\n`;
    const client = sendRaw(port, Array.from({ length: count }, (_, n) => getting(`/${n}`, padding)).join(''));
    await until(1);
    await settled();
    expect(begun[0]?.socket.bytesRead).toBeLessThan((1024 * 1024) / 4);
    for (let n = 0; n < count; n += 1) {
      await until(n + 1);
      begun[n]?.answer();
    }
    const received = await client.until(new RegExp(`/${count - 1}$`));
    expect(statusesOf(received)).toHaveLength(count);
    client.socket.destroy();
  }, 60_000);

  it('may have bodies, which are read when it is their turn', async () => {
    const { port } = await served((request, response) => {
      let length = 0;
      request.on('data', (chunk: Buffer) => {
        length += chunk.length;
      });
      request.on('end', () => setImmediate(() => response.end(`${request.url}:${length};`)));
    });
    const posting = (path: string, bytes: number): string =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n${'x'.repeat(bytes)}`;
    const client = sendRaw(port, posting('/1', 300_000) + posting('/2', 10) + getting('/3') + posting('/4', 700_000) + getting('/5'));
    const received = await client.until(/\/5:0;/);
    expect(received.match(/\/\d:\d+;/g)).toEqual(['/1:300000;', '/2:10;', '/3:0;', '/4:700000;', '/5:0;']);
    client.socket.destroy();
  });

  it('do not begin after a response that is the last one on its connection', async () => {
    const { port, begun, until } = await byHand({ Connection: 'close' });
    const client = sendRaw(port, getting('/1') + getting('/2') + getting('/3'));
    await until(1);
    begun[0]?.answer();
    expect(statusesOf(await client.closed)).toEqual([200]);
    expect(begun.map(({ url }) => url)).toEqual(['/1']);
  });

  it('do not begin once the connection is closed', async () => {
    const { port, begun, until } = await byHand();
    const client = sendRaw(port, getting('/1') + getting('/2'));
    await until(1);
    begun[0]?.socket.destroy();
    await client.closed;
    await settled();
    expect(begun.map(({ url }) => url)).toEqual(['/1']);
  });

  it('are limited on all connections together: above the limit, a connection answers the requests that it has accepted, and ends', async () => {
    const { port, begun, until } = await byHand();
    const perConnection = 1_500;
    const clients = Array.from({ length: Math.ceil(waitingRequestsMax / perConnection) + 2 }, () =>
      sendRaw(port, getting('/').repeat(perConnection)),
    );
    await until(clients.length);
    await settled();
    for (let [answered, quiet] = [0, 0]; quiet < 100; quiet += 1) {
      for (; answered < begun.length; answered += 1, quiet = 0) begun[answered]?.answer();
      await pause(1);
    }
    expect(begun.length).toBeGreaterThan(clients.length);
    expect(begun.length).toBeLessThanOrEqual(waitingRequestsMax + clients.length);
    for (const client of clients) client.socket.destroy();
  }, 60_000);
});
