import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { OpenRoute } from '../app.ts';
import { healthRoutes } from './routes.ts';

const metrics = { text: async () => '', contentType: 'text/plain' };

const readyzOf = (health: { readonly missing?: readonly string[]; readonly warnings?: readonly string[] }): Promise<unknown> => {
  const { missing = [], warnings } = health;
  return answerOf(
    healthRoutes({ notReady: () => missing, closing: () => false, ...(warnings && { warnings: () => warnings }), metrics }),
    '/readyz',
  );
};

const answerOf = async (routes: readonly OpenRoute[], asked: string): Promise<unknown> => {
  const answer = await routes
    .find(({ path }) => path === asked)
    ?.handle({
      request: new IncomingMessage(new Socket()),
      body: { read: async () => Buffer.alloc(0), release: () => undefined },
      requestId: '1',
      parameters: {},
    });
  return [answer?.status, JSON.parse(String(answer?.body))];
};

describe('/readyz', () => {
  it('is ready with warnings, and names them', async () => {
    expect(await readyzOf({ warnings: ['Another process writes to the topic.'] })).toEqual([
      200,
      { status: 'ready', warnings: ['Another process writes to the topic.'] },
    ]);
  });

  it('names warnings beside what is missing', async () => {
    expect(await readyzOf({ missing: ['Kafka does not answer.'], warnings: ['one'] })).toEqual([
      503,
      { status: 'not ready', missing: ['Kafka does not answer.'], warnings: ['one'] },
    ]);
  });

  it('omits warnings if there are none', async () => {
    expect([await readyzOf({}), await readyzOf({ warnings: [] })]).toEqual(Array(2).fill([200, { status: 'ready' }]));
  });
});

describe('/servez', () => {
  it('is 503 until the process was ready once, and 200 from then on, until it stops', async () => {
    const state = { missing: ['Kafka does not answer.'] as string[], isClosing: false };
    const routes = healthRoutes({ notReady: () => state.missing, closing: () => state.isClosing, metrics });
    const servez = () => answerOf(routes, '/servez');
    expect(await servez()).toEqual([503, { status: 'not ready', missing: ['Kafka does not answer.'] }]);
    state.missing = [];
    expect(await servez()).toEqual([200, { status: 'ready' }]);
    state.missing = ['MongoDB does not answer.'];
    expect(await servez()).toEqual([200, { status: 'ready' }]);
    expect(await answerOf(routes, '/readyz')).toEqual([503, { status: 'not ready', missing: ['MongoDB does not answer.'] }]);
    state.isClosing = true;
    expect(await servez()).toEqual([503, { status: 'not ready', missing: ['The process is shutting down.'] }]);
  });

  it('names what a process lacks to serve, where that is less than what it lacks to be ready', async () => {
    const state = { toServe: ['The process has not started yet.'] as string[] };
    const routes = healthRoutes({
      notReady: () => ['Redis does not answer.'],
      notServing: () => state.toServe,
      closing: () => false,
      metrics,
    });
    expect(await answerOf(routes, '/servez')).toEqual([503, { status: 'not ready', missing: ['The process has not started yet.'] }]);
    state.toServe = [];
    expect(await answerOf(routes, '/servez')).toEqual([200, { status: 'ready' }]);
    expect(await answerOf(routes, '/readyz')).toEqual([503, { status: 'not ready', missing: ['Redis does not answer.'] }]);
  });
});

describe('/livez', () => {
  it('is 200 whatever is missing, also while the process stops, and asks nothing', async () => {
    const ask = (): never => {
      throw new Error('asked');
    };
    const routes = healthRoutes({ notReady: ask, notServing: ask, closing: () => true, warnings: ask, metrics });
    expect(await answerOf(routes, '/livez')).toEqual([200, { status: 'alive' }]);
  });
});
