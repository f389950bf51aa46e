import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import type { Answer } from '../call.ts';
import { lastJson, sendRaw, statusesOf } from '../testing/raw-http.ts';
import { get, ok, useTestServers } from '../testing/serving.ts';

const { served, working } = useTestServers();

/** Blocks the event loop for this time. */
const stall = (ms: number): void => {
  for (const startedMs = performance.now(); performance.now() < startedMs + ms; );
};

describe('a shutdown', () => {
  it('lets a request in flight finish, and sends Connection: close', async () => {
    let closing = false;
    let finish = (_: Answer): void => undefined;
    const answer = new Promise<Answer>((resolve) => {
      finish = resolve;
    });
    const { port, close } = await working(
      () => answer,
      () => closing,
    );
    const spoken = sendRaw(port, get);
    await pause(100);
    closing = true;
    const closed = close(5_000);
    await pause(100);
    finish({ status: 201, body: '{"id":1}' });
    await closed;
    const received = await spoken.closed;
    expect(statusesOf(received)).toEqual([201]);
    expect(received).toMatch(/\r\nConnection: close\r\n/i);
    expect(lastJson(received)).toEqual({ id: 1 });
  });

  it('accepts no more connections', async () => {
    const { port, close } = await working(ok);
    await close(1_000);
    expect(await sendRaw(port, get).closed).toBe('');
  });

  it('does not wait for connections that are kept open', async () => {
    const { port, close } = await working(ok);
    const spoken = sendRaw(port, get);
    await spoken.until(/\{\}$/);
    // Longer than the test may take.
    await close(3_600_000);
    expect(statusesOf(await spoken.closed)).toEqual([200]);
  });

  it('sends Connection: close with the next response on a connection that is kept open', async () => {
    let closing = false;
    const { port } = await working(ok, () => closing);
    const spoken = sendRaw(port, get);
    await spoken.until(/\{\}$/);
    closing = true;
    spoken.socket.write(get);
    const received = await spoken.closed;
    expect(statusesOf(received)).toEqual([200, 200]);
    expect(received).toMatch(/connection: keep-alive.*connection: close/is);
  });

  it.each([
    ['is not finished', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n'],
    ['is not begun', ''],
    ['has no end to its headers', 'GET / HTTP/1.1\r\n'],
  ])('closes the connection of a request that %s in time', async (_, bytes) => {
    const { port, close } = await served((request) => void request.resume());
    const { closed } = sendRaw(port, bytes);
    await pause(50);
    await close(200);
    await closed;
  });

  it('answers connections that waited to be accepted', async () => {
    const { port, close } = await working(ok, () => true);
    const spoken = Array.from({ length: 50 }, () => sendRaw(port, get));
    await new Promise(process.nextTick);
    await close(5_000);
    const received = await Promise.all(spoken.map(({ closed }) => closed));
    expect(received.flatMap(statusesOf)).toEqual(spoken.map(() => 200));
  });

  it('answers the first request on a new connection, although the client sends it a moment later', async () => {
    const { port, close } = await working(ok, () => true);
    const spoken = sendRaw(port, '');
    await pause(50);
    const closed = close(5_000);
    await pause(250);
    spoken.socket.write(get);
    await closed;
    expect(statusesOf(await spoken.closed)).toEqual([200]);
  });

  it('answers requests that arrived while the process was blocked', async () => {
    let closing = false;
    const { port, close } = await working(ok, () => closing);
    const spoken = Array.from({ length: 5 }, () => sendRaw(port, get));
    for (const { until } of spoken) await until(/\{\}$/);
    closing = true;
    const closed = close(5_000);
    await pause(20);
    // After this turn, timers run first; only then is the data read that has arrived.
    await turn();
    for (const { socket } of spoken) socket.write(get);
    stall(300);
    await closed;
    const received = await Promise.all(spoken.map((one) => one.closed));
    expect(received.flatMap(statusesOf)).toEqual(spoken.flatMap(() => [200, 200]));
  });

  it('lets a response be sent that is already complete', async () => {
    const bytes = 32 * 1024 * 1024;
    const { port, close } = await served((_, response) => response.end(Buffer.alloc(bytes)));
    const spoken = sendRaw(port, get);
    spoken.socket.pause();
    await pause(50);
    const closed = close(9_000);
    await pause(400);
    spoken.socket.resume();
    await closed;
    expect((await spoken.closed).length).toBeGreaterThan(bytes);
  });
});
