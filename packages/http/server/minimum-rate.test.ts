import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from '../call.ts';
import { readJson } from '../request/body.ts';
import { createBudgets } from '../request/budgets.ts';
import { fileBody } from '../request/request-body.ts';
import type { Exchange } from '../request-lifecycle.ts';
import { lastJson, type RawResponses, sendRaw, statusesOf } from '../testing/raw-http.ts';
import { get, useTestServers } from '../testing/serving.ts';
import { listen } from './server.ts';

// The minimum is 500 bytes in half a second.
jest.mock('../limits.ts', () => ({
  ...jest.requireActual<object>('../limits.ts'),
  transferBytesPerSecondMin: 1_000,
  transferWindowMs: 500,
  connectionsCheckIntervalMs: 50,
}));

const { served, working } = useTestServers();
const mebibyte = 1024 * 1024;
const head = (bytes: number, more = ''): string =>
  `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n${more}\r\n`;
const tooSlow = { detail: 'Request Timeout.' };

/** Sends a byte at short intervals until the connection is closed. */
const trickle = (port: number, start: string): RawResponses => {
  const spoken = sendRaw(port, start);
  const timer = setInterval(() => spoken.socket.write(' '), 20);
  spoken.socket.on('close', () => clearInterval(timer));
  return spoken;
};

/** Waits until two other connections, one after the other, were closed for being slow. A connection that is still open then was not slow. */
const twoWindows = async (): Promise<void> => {
  const { port } = await served((request) => void request.resume());
  await trickle(port, head(100_000)).closed;
  await trickle(port, head(100_000)).closed;
};

describe('a client that sends a body', () => {
  it('too slowly gets a response, and its bytes are released', async () => {
    const budgets = createBudgets(0);
    const read = async (exchange: Exchange): Promise<Answer> => ({
      status: 200,
      body: JSON.stringify((await readJson(exchange, fileBody)).json),
    });
    const { port } = await working(read, () => false, budgets);
    const spoken = trickle(port, head(100_000));
    const received = await spoken.until(/\}$/);
    expect(statusesOf(received)).toEqual([408]);
    expect(received).toMatch(/Connection: close/i);
    expect(lastJson(received)).toEqual(tooSlow);
    expect(budgets.files.takenBytes()).toBe(0);
    spoken.socket.destroy();
  });

  it('too slowly is disconnected if the body is only discarded', async () => {
    const { port } = await served((request, response) => {
      request.resume();
      response.end('{}');
    });
    expect(statusesOf(await trickle(port, head(100_000)).closed)).toEqual([200]);
  });

  it('fast enough is not disconnected', async () => {
    const { port } = await served((request, response) => void request.resume().on('end', () => response.end('{}')));
    const spoken = sendRaw(port, head(40 * 1_000));
    for (let piece = 0; piece < 40; piece += 1) {
      spoken.socket.write(Buffer.alloc(1_000));
      await pause(50);
    }
    expect(statusesOf(await spoken.until(/\}$/))).toEqual([200]);
    spoken.socket.destroy();
  });

  it('is not disconnected while the process does not read', async () => {
    let answer = (): void => undefined;
    const { port } = await served((request, response) => {
      answer = () => void request.resume().on('end', () => response.end('{}'));
    });
    const spoken = sendRaw(port, head(2));
    await twoWindows();
    answer();
    spoken.socket.write('{}');
    expect(statusesOf(await spoken.until(/\}$/))).toEqual([200]);
    spoken.socket.destroy();
  });
});

/** Starts a server that writes this number of bytes at once. Returns a client that does not read, and the server's side of the connection. */
const writing = async (bytes: number, type = 'application/json') => {
  const sockets: IncomingMessage['socket'][] = [];
  const { port } = await served((request, response: ServerResponse) => {
    sockets.push(request.socket);
    response.writeHead(200, ['Content-Type', type, 'Content-Length', bytes]);
    response.end(Buffer.alloc(bytes));
  });
  const spoken = sendRaw(port, get);
  spoken.socket.pause();
  while (sockets.length === 0) await pause(5);
  return { spoken, socket: sockets[0] as IncomingMessage['socket'] };
};

describe('a client that receives a response', () => {
  it('too slowly is disconnected', async () => {
    const { spoken, socket } = await writing(64 * mebibyte);
    await once(socket, 'close');
    spoken.socket.destroy();
  });

  it('too slowly is disconnected if the response is streamed; the store is not read further, and the bytes are released', async () => {
    const budgets = createBudgets(512 * mebibyte);
    let ended = (): void => undefined;
    const isOver = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const body = {
      size: 64 * mebibyte,
      pieceBytes: mebibyte,
      content: async function* () {
        try {
          for (let piece = 0; piece < 64; piece += 1) yield Buffer.alloc(mebibyte);
        } finally {
          ended();
        }
      },
    };
    const { port } = await working(async () => ({ status: 200, body }), undefined, budgets);
    const spoken = sendRaw(port, get);
    spoken.socket.pause();
    await isOver;
    while (budgets.responses.takenBytes() > 0) await pause(5);
    spoken.socket.resume();
    expect((await spoken.closed).length).toBeLessThan(body.size);
  });

  it('fast enough is not disconnected, although everything was written at once', async () => {
    const { spoken, socket } = await writing(64 * mebibyte);
    for (let piece = 0; piece < 30; piece += 1) {
      await pause(50);
      spoken.socket.read(mebibyte / 2);
    }
    expect(socket.destroyed).toBe(false);
    spoken.socket.resume();
    while (spoken.received().length < 64 * mebibyte) await pause(20);
    spoken.socket.destroy();
  });

  it('is not disconnected if the response is an event stream', async () => {
    const { spoken, socket } = await writing(64 * mebibyte, 'text/event-stream');
    await twoWindows();
    expect(socket.destroyed).toBe(false);
    spoken.socket.destroy();
  });
});

describe('a connection', () => {
  it('is not slow while it is idle', async () => {
    const { port } = await served((_, response) => response.end('{}'));
    const spoken = sendRaw(port, get);
    await spoken.until(/\}$/);
    await twoWindows();
    spoken.socket.write(get);
    await spoken.until(/\}[\s\S]*\}$/);
    spoken.socket.destroy();
  });

  it('is not slow while it waits for a response', async () => {
    const answers: ServerResponse[] = [];
    const { port } = await served((_, response) => void answers.push(response));
    const spoken = sendRaw(port, get);
    await twoWindows();
    answers[0]?.end('{}');
    expect(statusesOf(await spoken.until(/\}$/))).toEqual([200]);
    spoken.socket.destroy();
  });

  it('is not slow on the port of an operator', async () => {
    const server = await listen((request, response) => void request.resume().on('end', () => response.end('{}')), '127.0.0.1', 0, {
      idleMs: 0,
    });
    const spoken = trickle(server.port, head(100_000));
    await twoWindows();
    spoken.socket.write(Buffer.alloc(100_000, ' '));
    expect(statusesOf(await spoken.until(/\}/))).toContain(200);
    spoken.socket.destroy();
    await server.close(0);
  });
});
