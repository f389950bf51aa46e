import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../api/client.ts';
import { describeWithNginx, type Edge, startEdge } from './edge.ts';
import type { Reply } from './stub.ts';

const backWithinMs = 300_000;
const cut: Reply = (request) => request.socket.destroy();
const unavailable = {
  status: 503,
  text: '{"detail":"Temporarily unavailable."}',
  headers: {
    'retry-after': '1',
    'content-type': 'application/json',
    'cache-control': 'private, no-cache',
    'x-content-type-options': 'nosniff',
  },
};

describeWithNginx('The edge: a service that is unavailable:', () => {
  let edge: Edge;
  beforeEach(async () => {
    edge = await startEdge();
    edge.arrived();
  });
  afterEach(() => edge.remove());

  const ask = (method: string, path: string): Promise<Answer> => edge.send({ method, path, headers: { 'X-Request-Id': 'mine' } });

  it.each([
    ['POST', '/v3.0/events'],
    ['PUT', '/v3.0/events/7'],
    ['DELETE', '/v3.0/events/7'],
  ])(
    '%s: 503, and 200 once it is back',
    async (method, path) => {
      await edge.stubs.events.stop();
      const answer = await ask(method, path);
      expect(answer).toMatchObject(unavailable);
      expect(answer.headers['x-request-id']).toBe('mine');
      // The other services continue.
      expect((await ask('GET', path)).status).toBe(200);
      expect((await ask('POST', '/v3.0/lists')).status).toBe(200);
      await edge.stubs.events.start();
      expect(await soon(() => ask(method, path))).toBe(200);
    },
    backWithinMs,
  );

  it(
    'all gateways: 503 on reads, writes continue',
    async () => {
      await Promise.all([edge.stubs.query.stop(), edge.stubs.query2.stop()]);
      for (const method of ['GET', 'PATCH']) expect(await ask(method, '/v3.0/lists')).toMatchObject(unavailable);
      expect(await ask('HEAD', '/v3.0/lists')).toMatchObject({ ...unavailable, text: '' });
      expect((await ask('POST', '/v3.0/lists')).status).toBe(200);
      await edge.stubs.query.start();
      expect(await soon(() => ask('GET', '/v3.0/lists'))).toBe(200);
    },
    backWithinMs,
  );

  it('one gateway of two: every request succeeds', async () => {
    await edge.stubs.query.stop();
    for (let asked = 0; asked < 20; asked += 1) expect((await ask('GET', '/v3.0/lists')).status).toBe(200);
  });

  it('one gateway of two that ends in the middle of a request: the other answers', async () => {
    edge.stubs.query.reply = cut;
    for (let asked = 0; asked < 4; asked += 1) expect((await ask('GET', '/v3.0/lists')).status).toBe(200);
  });

  it.each(['POST', 'PUT', 'DELETE'])(
    'a command service that ends in the middle of a request: %s is not sent to another',
    async (method) => {
      edge.stubs.lists.reply = cut;
      edge.stubs.lists2.reply = cut;
      expect(await ask(method, '/v3.0/lists/7')).toMatchObject(unavailable);
      expect(edge.arrived()).toHaveLength(1);
    },
  );

  it('a token request that was sent is not sent again', async () => {
    edge.stubs.auth.reply = cut;
    expect(await ask('POST', '/v3.0/oauth2/token')).toMatchObject(unavailable);
    expect(edge.arrived()).toHaveLength(1);
  });

  it('a graceful stop: a request in progress is answered', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    edge.stubs.events.reply = (_, response) => void held.then(() => response.end('done'));
    const answer = ask('PUT', '/v3.0/events/7');
    while (edge.stubs.events.arrived.length === 0) await sleep(10);
    const ended = edge.end('SIGQUIT');
    await sleep(200);
    release();
    expect((await answer).text).toBe('done');
    expect(await ended).toBe(0);
  });

  /** Returns the first status other than 503. */
  const soon = async (again: () => Promise<Answer>): Promise<number> => {
    const deadline = Date.now() + backWithinMs / 2;
    for (;;) {
      const { status } = await again();
      if (status !== 503 || Date.now() > deadline) return status;
      await sleep(100);
    }
  };
});
