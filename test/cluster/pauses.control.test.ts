import { setTimeout as pause } from 'node:timers/promises';
import { control } from '@waymark/test-engines/control.ts';
import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import { openClient } from '../api/client.ts';
import { type Application, bodyOf, openSession, type Session, tokenCall } from '../api/session.ts';
import { until } from './setup/until.ts';
import { useCluster } from './setup/use-cluster.ts';

/** As long as the election of a leader, or as a pause of a real server on few cores. */
const pausedForMs = 5_000;
const everyMs = 50;
const hangsMs = 300_000;

describeOn(
  ['eventstore', 'kafka', 'mongodb', 'redis', 'media', 'control'],
  'A cluster without Redis, while its event store is paused,',
  () => {
    const cluster = useCluster();
    const closing: (() => void)[] = [];
    afterAll(async () => {
      for (const close of closing) close();
      await control('resume', 'eventstore');
      await control('start', 'redis');
    }, hangsMs);

    const session = async (): Promise<Session> => {
      const { url, operator } = cluster();
      const client = openClient(url);
      closing.push(client.close);
      const body = { account: ownName('account'), name: 'test/cluster', scopes: ['read', 'write'] };
      const application = bodyOf<Application>(await operator('POST', '/applications', body), 201);
      const { access_token: token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
      return openSession(client.send, application, token);
    };
    /** Counts the lines of the gateway with a text since an offset in the output. */
    const said = (from: number, text: string): number => {
      const lines = cluster().printed().slice(from).split('\n');
      return lines.filter((line) => line.includes('"service":"query-gateway"') && line.includes(text)).length;
    };

    it(
      'answers reads with known tokens, refuses unknown tokens and writes, and its gateway logs when it stops using the log and when it resumes',
      async () => {
        const [known, unseen] = [await session(), await session()];
        const { id } = await known.create('/lists', { name: 'list' });
        await control('kill', 'redis');
        await until('reads continue without Redis', hangsMs, async () => (await known.get(`/lists/${id}`)).status === 200);
        const from = cluster().printed().length;

        await control('pause', 'eventstore');
        const untilMs = performance.now() + pausedForMs;
        const statuses: Record<number, number> = {};
        let isPaused = true;
        const write = known.post('/lists', { name: 'another' }).then(({ status }) => (isPaused ? status : undefined));
        const refused = unseen.get(`/lists/${id}`).then(({ status }) => (isPaused ? status : undefined));
        try {
          while (performance.now() < untilMs) {
            for (const path of [`/lists/${id}`, '/lists', '/pinpoints']) {
              const { status } = await known.get(path);
              statuses[status] = (statuses[status] ?? 0) + 1;
            }
            await pause(everyMs);
          }
        } finally {
          isPaused = false;
          await control('resume', 'eventstore');
        }
        expect(Object.keys(statuses)).toEqual(['200']);
        // A write that got no response during the pause gets one after it.
        expect([503, undefined]).toContain(await write);
        expect(await refused).toBe(503);

        await until('the gateway uses the log again', hangsMs, async () => {
          await known.get(`/lists/${id}`);
          return said(from, 'the event log answers again') > 0;
        });
        expect(said(from, 'the event log does not answer')).toBe(said(from, 'the event log answers again'));
        expect((await unseen.get('/lists')).status).toBe(200);
        await control('start', 'redis');
      },
      2 * hangsMs,
    );
  },
);
