import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import { type Client, openClient } from '../api/client.ts';
import { type Application, bodyOf, tokenCall } from '../api/session.ts';
import { type Cluster, startCluster } from './setup/cluster.ts';
import { apiOf } from './setup/processes.ts';

const startMs = 300_000;
const stopMs = 300_000;
const failuresMax = 6;

describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'media'], 'Two auth services', () => {
  let cluster: Cluster;
  let clients: readonly Client[] = [];

  beforeAll(async () => {
    const limits = { WAYMARK_RATE_LIMITS: 'on', WAYMARK_CLIENT_FAILURES: String(failuresMax) };
    cluster = await startCluster({ WAYMARK_REPLICAS: 'auth=2', ...limits });
    clients = [await apiOf(cluster, 'auth'), await apiOf(cluster, 'auth-2')].map(openClient);
  }, startMs);
  afterAll(async () => {
    for (const client of clients) client.close();
    await cluster?.stop();
  }, stopMs);

  it('count the failed guesses for a client together, and both still accept the right secret', async () => {
    const application = bodyOf<Application>(
      await cluster.operator('POST', '/applications', { account: ownName('account'), name: 'test/cluster', scopes: ['read'] }),
      201,
    );
    const byTurns = (nth: number): Client => clients[nth % clients.length] as Client;
    const statusOf = async (nth: number, client_secret: string): Promise<number> =>
      (await byTurns(nth).send(tokenCall({ ...application, client_secret }))).status;
    for (let nth = 0; nth < clients.length; nth += 1) expect(await statusOf(nth, application.client_secret)).toBe(200);
    for (let nth = 0; nth < failuresMax; nth += 1) expect(await statusOf(nth, 'wrong')).toBe(401);
    for (let nth = 0; nth < clients.length; nth += 1) {
      expect(await statusOf(nth, 'wrong')).toBe(429);
      expect(await statusOf(nth, application.client_secret)).toBe(200);
    }
  });
});
