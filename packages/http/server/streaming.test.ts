import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { StreamedBody } from '../call.ts';
import { sendRaw, statusesOf } from '../testing/raw-http.ts';
import { get, useTestServers } from '../testing/serving.ts';

const { working } = useTestServers();

const piece = Buffer.alloc(256 * 1024, 'abcdefgh');

/** Creates a body of this number of pieces. The hook runs before each piece is yielded. */
const pieces = (count: number, before: (nth: number, signal: AbortSignal) => unknown = () => undefined): StreamedBody => ({
  size: count * piece.length,
  pieceBytes: piece.length,
  content: async function* (signal) {
    for (let nth = 0; nth < count; nth += 1) {
      await before(nth, signal);
      yield piece;
    }
  },
});

const serving = (body: StreamedBody) => working(async () => ({ status: 200, body, headers: { 'Content-Type': 'image/png' } }));

describe('a streamed body', () => {
  it('arrives complete, after its length', async () => {
    const { port } = await serving(pieces(5));
    const client = sendRaw(port, get);
    const bytes = 5 * piece.length;
    const received = await client.until(new RegExp(`\r\n\r\n.{${bytes}}$`));
    expect(received.slice(0, received.indexOf('\r\n\r\n'))).toContain(`Content-Length: ${bytes}`);
    expect(received.slice(received.indexOf('\r\n\r\n') + 4)).toBe(piece.toString().repeat(5));
    client.socket.destroy();
  });

  it('may be empty', async () => {
    const { port } = await serving(pieces(0));
    const client = sendRaw(port, get);
    expect(await client.until(/\r\n\r\n/)).toContain('Content-Length: 0');
    client.socket.destroy();
  });

  it('is not read for HEAD', async () => {
    let read = false;
    const { port } = await serving(pieces(5, () => (read = true)));
    const client = sendRaw(port, `${get.replace('GET', 'HEAD')}`);
    expect(await client.until(/\r\n\r\n/)).toContain(`Content-Length: ${5 * piece.length}`);
    expect(read).toBe(false);
    client.socket.destroy();
  });

  it('is not read ahead of a client that does not read', async () => {
    let read = 0;
    const { port } = await serving(pieces(1_000, (nth) => (read = nth)));
    const client = sendRaw(port, get);
    client.socket.pause();
    let before = -1;
    while (before < read || read === 0) {
      before = read;
      await pause(300);
    }
    // The operating system buffers no more than a few megabytes of a connection.
    expect(read * piece.length).toBeLessThan(32 * 1024 * 1024);
    client.socket.destroy();
  });

  it('is no longer read once the client has disconnected, and a read in progress is aborted', async () => {
    const aborted = Promise.withResolvers<number>();
    const waits = Promise.withResolvers<void>();
    const body = pieces(10, async (nth, signal) => {
      if (nth < 2) return;
      waits.resolve();
      await once(signal, 'abort');
      aborted.resolve(nth);
      throw new Error('The read was aborted.');
    });
    const { port } = await serving(body);
    const client = sendRaw(port, get);
    await waits.promise;
    client.socket.destroy();
    expect(await aborted.promise).toBe(2);
  });

  it('closes the connection if it fails in the middle, so that the received part does not look complete', async () => {
    const body = pieces(10, (nth) => {
      if (nth === 3) throw new Error('The store is gone.');
    });
    const { port } = await serving(body);
    const client = sendRaw(port, get + get);
    const received = await client.closed;
    expect(statusesOf(received)).toEqual([200]);
    expect(received).toContain(`Content-Length: ${10 * piece.length}`);
    expect(received.length).toBeLessThan(4 * piece.length);
  });

  it('is replaced by an error response if it cannot be read at all', async () => {
    const body = pieces(10, () => {
      throw new Error('The store is gone.');
    });
    const { port } = await serving(body);
    const client = sendRaw(port, get);
    expect(statusesOf(await client.until(/server error/))).toEqual([500]);
    client.socket.destroy();
  });
});
