import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { healthRoutes } from './routes.ts';

const readyzOf = async (health: { readonly missing?: readonly string[]; readonly warnings?: readonly string[] }): Promise<unknown> => {
  const { missing = [], warnings } = health;
  const metrics = { text: async () => '', contentType: 'text/plain' };
  const routes = healthRoutes({ notReady: () => missing, ...(warnings ? { warnings: () => warnings } : {}), metrics });
  const answer = await routes
    .find(({ path }) => path === '/readyz')
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
