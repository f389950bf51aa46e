import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import type { BodyWriter, OpenBody } from '../call.ts';
import { openAmounts } from '../counters/open-amounts.ts';
import { badRequest } from '../errors.ts';
import { type Budgets, createBudgets } from '../request/budgets.ts';
import { createRequestLifecycle } from '../request-lifecycle.ts';
import { lastJson, sendRaw, statusesOf } from '../testing/raw-http.ts';
import { get, useTestServers } from '../testing/serving.ts';

const { served, working } = useTestServers();

const mebibyte = 1024 * 1024;
const piece = 'x'.repeat(256 * 1024);

/** Serves a body. `writing` resolves with its writer once it is open. */
const serving = async (write: OpenBody['write'], budgets?: Budgets) => {
  const answer = {
    status: 200,
    headers: { 'Content-Type': 'text/event-stream' },
    body: { write, behindBytesMax: mebibyte },
  };
  return working(
    async () => answer,
    () => false,
    budgets,
  );
};

/** Serves a body that stays open until it is ended. */
const servingOpen = async (budgets?: Budgets) => {
  const opened = Promise.withResolvers<BodyWriter>();
  const ended = Promise.withResolvers<void>();
  const { port } = await serving(async (open) => {
    opened.resolve(open());
    await ended.promise;
  }, budgets);
  return { port, opened: opened.promise, end: ended.resolve };
};

/** Writes until the reader is disconnected, or this number of bytes is written. Returns the most bytes that waited. */
const writeUntilGone = async (writer: BodyWriter, bytes: number): Promise<number> => {
  let most = 0;
  for (let written = 0; written < bytes && !writer.gone.aborted; written += piece.length) {
    writer.write(piece);
    most = Math.max(most, writer.waitingBytes());
    await pause(2);
  }
  return most;
};

describe('a body that stays open', () => {
  it('arrives as it is written, without a length, until it is over', async () => {
    const { port, opened, end } = await servingOpen();
    const client = sendRaw(port, get);
    const writer = await opened;
    writer.write('one');
    expect(await client.until(/one/)).not.toContain('Content-Length');
    writer.write('two');
    await client.until(/two/);
    end();
    expect(await client.until(/\r\n0\r\n\r\n$/)).toMatch(/transfer-encoding: chunked/i);
    client.socket.destroy();
  });

  it('is not written for HEAD', async () => {
    const write = jest.fn(async () => undefined);
    const { port } = await serving(write);
    const client = sendRaw(port, get.replace('GET', 'HEAD'));
    expect(await client.until(/\r\n\r\n/)).toContain('text/event-stream');
    expect(write).not.toHaveBeenCalled();
    client.socket.destroy();
  });

  it('is answered with an error that is thrown before it is open', async () => {
    const { port } = await serving(async () => {
      throw badRequest('No.');
    });
    const client = sendRaw(port, get);
    const received = await client.until(/\}$/);
    expect([statusesOf(received), lastJson(received)]).toEqual([[400], { detail: 'No.' }]);
    client.socket.destroy();
  });

  it('is cut by an error that is thrown later: it does not look complete', async () => {
    const { port } = await serving(async (open) => {
      open().write('one');
      await pause(50);
      throw new Error('broken');
    });
    expect(await sendRaw(port, get).closed).toMatch(/one\r\n$/);
  });

  it('learns that its reader is gone', async () => {
    const { port, opened } = await servingOpen();
    const client = sendRaw(port, get);
    const writer = await opened;
    writer.write('one');
    await client.until(/one/);
    client.socket.destroy();
    while (!writer.gone.aborted) await pause(5);
    writer.write('two');
    await writer.drained();
  });

  it.each([
    ['arrived before it was open', true],
    ['arrive later', false],
  ])('learns that its reader is gone where further requests %s', async (_, isBefore) => {
    const { port, opened } = await servingOpen();
    const further = get.repeat(1_000);
    const client = sendRaw(port, isBefore ? get + further : get);
    const writer = await opened;
    writer.write('one');
    await client.until(/one/);
    if (!isBefore) client.socket.write(further);
    await pause(50);
    expect(writer.gone.aborted).toBe(false);
    client.socket.destroy();
    // Below the limits of idle connections.
    const gone = new Promise<string>((resolve) => writer.gone.addEventListener('abort', () => resolve('gone')));
    expect(await Promise.race([gone, pause(10_000, 'open', { ref: false })])).toBe('gone');
  });

  it('is the last response on its connection', async () => {
    const { port } = await serving(async (open) => open().write('one'));
    expect(statusesOf(await sendRaw(port, get + get).closed)).toEqual([200]);
  });

  it('counts the bytes that wait, not the characters', async () => {
    const { port, opened, end } = await servingOpen();
    const client = sendRaw(port, get);
    client.socket.pause();
    const writer = await opened;
    while (writer.waitingBytes() === 0) writer.write('x'.repeat(1024));
    const before = writer.waitingBytes();
    writer.write('€'.repeat(1024));
    expect(writer.waitingBytes() - before).toBeGreaterThanOrEqual(3 * 1024);
    end();
    client.socket.destroy();
  });

  it('is cut where its reader is too far behind, and holds no more than that', async () => {
    const { port, opened, end } = await servingOpen();
    const client = sendRaw(port, get);
    client.socket.pause();
    const writer = await opened;
    const most = await writeUntilGone(writer, 64 * mebibyte);
    expect(writer.gone.aborted).toBe(true);
    expect(most).toBeGreaterThan(mebibyte);
    expect(most).toBeLessThan(2 * mebibyte);
    end();
    client.socket.destroy();
  });

  it('is not cut where its reader keeps up', async () => {
    const { port, opened, end } = await servingOpen();
    const client = sendRaw(port, get);
    const writer = await opened;
    for (let nth = 0; nth < 64; nth += 1) {
      writer.write(piece);
      await writer.drained();
    }
    expect(writer.gone.aborted).toBe(false);
    end();
    await client.until(/\r\n0\r\n\r\n$/);
    client.socket.destroy();
  });

  it('is cut where the process has no room for the bytes that wait, and gives their room back', async () => {
    const amounts = openAmounts();
    const budgets = createBudgets(1, amounts);
    budgets.responses.hold('another').take(budgetOf(budgets) - mebibyte / 2);
    const taken = budgets.responses.takenBytes();
    const { port, opened, end } = await servingOpen(budgets);
    const client = sendRaw(port, get);
    client.socket.pause();
    const writer = await opened;
    expect(await writeUntilGone(writer, 64 * mebibyte)).toBeLessThan(mebibyte);
    expect(writer.gone.aborted).toBe(true);
    end();
    while (budgets.responses.takenBytes() !== taken) await pause(5);
    client.socket.destroy();
  });

  it('gives the room of the bytes that its reader has received back while it stays open', async () => {
    const budgets = createBudgets(512 * mebibyte);
    const { port, opened, end } = await servingOpen(budgets);
    const client = sendRaw(port, get);
    client.socket.pause();
    const writer = await opened;
    while (budgets.responses.takenBytes() === 0) {
      writer.write(piece);
      await pause(2);
    }
    client.socket.resume();
    while (budgets.responses.takenBytes() > 0) await pause(5);
    expect(writer.gone.aborted).toBe(false);
    end();
    client.socket.destroy();
  });

  it('counts as answered when it is opened', async () => {
    const observed = Promise.withResolvers<number>();
    const lifecycle = createRequestLifecycle({
      corsOrigins: new Set(),
      observe: (_method, _route, _status, seconds) => observed.resolve(seconds),
      logger: pino({ level: 'silent' }),
      closing: () => false,
      budgets: createBudgets(512 * mebibyte),
    });
    const body: OpenBody = {
      behindBytesMax: mebibyte,
      write: async (open) => {
        open().write('one');
        await pause(500);
      },
    };
    const { port } = await served((request, response) => void lifecycle(request, response, 'x', async () => ({ status: 200, body })));
    const client = sendRaw(port, get);
    expect(await observed.promise).toBeLessThan(0.4);
    client.socket.destroy();
  });
});

/** Returns the size of the budget of responses. */
const budgetOf = ({ responses }: Budgets): number => {
  const hold = responses.hold('probe');
  let bytes = 0;
  while (hold.take(mebibyte / 8)) bytes += mebibyte / 8;
  hold.release();
  return bytes;
};
