import { pino } from 'pino';
import type { Answer } from '../call.ts';
import { openAmounts } from '../counters/open-amounts.ts';
import { smallResponseBytes } from '../limits.ts';
import { createBudgets } from '../request/budgets.ts';
import { createByteBudget } from '../request/byte-budget.ts';
import { createRequestLifecycle } from '../request-lifecycle.ts';
import { sendRaw, statusesOf } from '../testing/raw-http.ts';
import { useTestServers } from '../testing/serving.ts';

const { served } = useTestServers();
const mebibyte = 1024 * 1024;

/** Starts a server with room for 64 MiB of responses. A request names its caller in a header. */
const serving = async (answer: () => Answer) => {
  const responses = createByteBudget({ name: 'responses', bytesMax: 64 * mebibyte, amounts: openAmounts() });
  const lifecycle = createRequestLifecycle({
    corsOrigins: new Set(),
    observe: () => undefined,
    logger: pino({ level: 'silent' }),
    closing: () => false,
    budgets: { ...createBudgets(512 * mebibyte), responses },
    addressOf: ({ headers }) => String(headers['x-caller']),
  });
  const { port } = await served((request, response) => void lifecycle(request, response, 'x', async () => answer()));
  const ask = (caller: string, method = 'GET') => sendRaw(port, `${method} / HTTP/1.1\r\nHost: x\r\nX-Caller: ${caller}\r\n\r\n`);
  /** Sends a request and does not read the response. */
  const mute = (caller: string, method?: string) => {
    const spoken = ask(caller, method);
    spoken.socket.pause();
    return spoken;
  };
  return { ask, mute, responses };
};

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe('the bytes of responses', () => {
  const large = { status: 200, body: 'x'.repeat(12 * mebibyte) };

  it('count until the client has received them', async () => {
    const { mute, responses } = await serving(() => large);
    const client = mute('one');
    await until(() => responses.takenBytes() === large.body.length);
    client.socket.resume();
    await until(() => responses.takenBytes() === 0);
    client.socket.destroy();
  });

  it('no longer count once the client has disconnected', async () => {
    const { mute, responses } = await serving(() => large);
    const client = mute('one');
    await until(() => responses.takenBytes() > 0);
    client.socket.destroy();
    await until(() => responses.takenBytes() === 0);
  });

  it('are limited by caller: one that does not read gets 503, while another one gets its response', async () => {
    const { ask, mute, responses } = await serving(() => large);
    const readers = Array.from({ length: 3 }, () => mute('one'));
    await until(() => responses.takenBytes() === 3 * large.body.length);
    const refused = ask('one');
    const received = await refused.until(/\}$/);
    expect(statusesOf(received)).toEqual([503]);
    expect(received).toMatch(/Retry-After: \d+\r\n/);
    const other = ask('another');
    await until(() => other.socket.bytesRead > large.body.length);
    expect(statusesOf(other.received().slice(0, 1_000))).toEqual([200]);
    for (const { socket } of [...readers, refused, other]) socket.destroy();
  });

  it('are never refused if they are few', async () => {
    let body = large.body;
    const { ask, mute, responses } = await serving(() => ({ status: 200, body }));
    const readers = Array.from({ length: 3 }, () => mute('one'));
    await until(() => responses.takenBytes() === 3 * large.body.length);
    body = 'x'.repeat(smallResponseBytes);
    const client = ask('one');
    expect(statusesOf(await client.until(/xxx$/))).toEqual([200]);
    for (const { socket } of [...readers, client]) socket.destroy();
  });

  it('for writes never cause an error: without room, the response is sent as far as the client accepts it, or is cut off', async () => {
    const { mute, ask, responses } = await serving(() => large);
    const readers = Array.from({ length: 3 }, () => mute('one'));
    await until(() => responses.takenBytes() === 3 * large.body.length);
    const writer = ask('one', 'DELETE');
    let isClosed = false;
    void writer.closed.then(() => (isClosed = true));
    await until(() => isClosed || writer.socket.bytesRead > large.body.length);
    expect(statusesOf(writer.received().slice(0, 1_000))).toEqual(isClosed && writer.socket.bytesRead === 0 ? [] : [200]);
    for (const { socket } of [...readers, writer]) socket.destroy();
  });

  it('for a streamed body are those of one piece', async () => {
    const piece = Buffer.alloc(mebibyte);
    const content = async function* () {
      for (let nth = 0; nth < 30; nth += 1) yield piece;
    };
    const { mute, responses } = await serving(() => ({ status: 200, body: { size: 30 * mebibyte, pieceBytes: mebibyte, content } }));
    const client = mute('one');
    await until(() => responses.takenBytes() > 0);
    expect(responses.takenBytes()).toBe(mebibyte);
    client.socket.resume();
    await until(() => responses.takenBytes() === 0);
    client.socket.destroy();
  });
});
