import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import { type Answer, type Client, openClient } from '../api/client.ts';
import { type Application, bodyOf, openSession, type Session, tokenCall } from '../api/session.ts';
import { type Cluster, startCluster } from './setup/cluster.ts';
import { pidOf } from './setup/processes.ts';
import { until } from './setup/until.ts';
import { repetitions } from './setup/use-cluster.ts';

const hangMs = 300_000;
const services = ['commands', 'query-gateway', 'auth'] as const;
const workersOfEach = 4;
/** Leaves processor time to the processes that start again. */
const betweenRequestsMs = 50;
const wrongShownMax = 10;
const saidCharactersMax = 20_000;
/** Errors of an idle connection that the edge closed while nginx reloaded. A client then uses another connection. */
const closedByEdge: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE']);

jest.setTimeout(hangMs + repetitions * 120_000);

/** Sends requests until it is ended. Each worker keeps its connections. */
const load = (works: readonly (() => Promise<Answer>)[]) => {
  let isRunning = true;
  let answered = 0;
  let closed = 0;
  const wrong: string[] = [];
  const one = async (work: () => Promise<Answer>): Promise<void> => {
    while (isRunning) {
      try {
        const { status, text, headers } = await work();
        answered += 1;
        if (status >= 300) wrong.push(`${new Date().toISOString()} ${work}: ${status} ${text} ${headers['x-request-id']}`);
      } catch (error) {
        const { code } = (error as Error).cause as NodeJS.ErrnoException;
        if (closedByEdge.has(code)) closed += 1;
        else wrong.push(`${code}: ${(error as Error).message}`);
      }
      await pause(betweenRequestsMs);
    }
  };
  const working = Promise.all(works.flatMap((work) => Array.from({ length: workersOfEach }, () => one(work))));
  const end = async (): Promise<{ answered: number; closed: number; wrong: readonly string[] }> => {
    isRunning = false;
    await working;
    return { answered, closed, wrong };
  };
  return { answered: () => answered, end };
};

describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'media'], 'A cluster with two replicas of each service, under load', () => {
  let cluster: Cluster;
  let client: Client;
  let me: Session;
  let application: Application;

  beforeAll(async () => {
    cluster = await startCluster({ WAYMARK_REPLICAS: 'commands=2,query-gateway=2,auth=2' });
    client = openClient(cluster.url);
    application = bodyOf<Application>(
      await cluster.operator('POST', '/applications', { account: ownName('account'), name: 'test/cluster', scopes: ['read', 'write'] }),
      201,
    );
    const { access_token: token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
    me = openSession(client.send, application, token);
  }, hangMs);
  afterAll(async () => {
    client?.close();
    await cluster?.stop();
  }, hangMs);

  /** Returns the number of replicas of each service that the edge sends requests to. */
  const replicasOfEdge = (): readonly number[] => {
    const text = readFileSync(join(cluster.directory, 'edge', 'nginx.conf'), 'utf8');
    return ['pinpoints', 'query', 'auth'].map(
      (name) => (new RegExp(`upstream ${name} {[^}]*`).exec(text)?.[0] ?? '').split('server ').length - 1,
    );
  };
  const works = async (): Promise<readonly (() => Promise<Answer>)[]> => {
    const { id } = await me.create('/lists', { name: 'list' });
    let named = 0;
    const name = (): object => {
      named += 1;
      return { name: `name ${named}` };
    };
    // Each PUT worker has its own list: two concurrent changes of one list may conflict more often than a write is retried.
    const own = await Promise.all(Array.from({ length: workersOfEach }, () => me.create('/lists', { name: 'own' })));
    let turn = 0;
    return [
      () => me.get(`/lists/${id}`),
      () => me.get('/lists?limit=5'),
      () => me.post('/lists', name()),
      () => {
        turn += 1;
        return me.put(`/lists/${own[turn % own.length]?.id}`, name());
      },
      () => client.send(tokenCall(application)),
    ];
  };

  it('answers every request while each replica is stopped and started again: no 5xx, no refused connection', async () => {
    const loaded = load(await works());
    let signals = 0;
    try {
      for (let time = 0; time < repetitions; time += 1)
        for (const replica of ['', '-2']) {
          const names = services.map((service) => `${service}${replica}`);
          const before = await Promise.all(names.map((name) => pidOf(cluster, name)));
          for (const pid of before) process.kill(pid, 'SIGTERM');
          signals += before.length;
          await until('the edge sends no requests to them', hangMs, () => replicasOfEdge().every((count) => count === 1));
          await until('new processes have replaced them', hangMs, async () => {
            const processes = await cluster.processes();
            return names.every((name, nth) => {
              const one = processes.find((found) => found.name === name);
              return one?.ready === true && one.pid !== before[nth];
            });
          });
          await until('the edge sends requests to all replicas', hangMs, () => replicasOfEdge().every((count) => count === 2));
        }
    } finally {
      const { answered, closed, wrong } = await loaded.end();
      process.stderr.write(`${signals} SIGTERMs: ${answered} requests answered, ${closed} idle connections closed by the edge\n`);
      if (wrong.length > 0) process.stderr.write(`${cluster.printed().slice(-saidCharactersMax)}\n`);
      expect(wrong.slice(0, wrongShownMax)).toEqual([]);
      expect(answered).toBeGreaterThan(0);
    }
  });

  it('never removes the last replica of a service', async () => {
    const before = await Promise.all(['query-gateway', 'query-gateway-2'].map((name) => pidOf(cluster, name)));
    for (const pid of before) process.kill(pid, 'SIGTERM');
    await until('new processes have replaced them', hangMs, async () => {
      expect(replicasOfEdge()[1]).toBeGreaterThan(0);
      const now = await Promise.all(['query-gateway', 'query-gateway-2'].map((name) => pidOf(cluster, name)));
      return now.every((pid) => !before.includes(pid)) && (await cluster.ready());
    });
    await until('the edge sends requests to both', hangMs, () => replicasOfEdge()[1] === 2);
    expect((await me.get('/lists')).status).toBe(200);
  });
});
