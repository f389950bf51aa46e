import { control } from '@waymark/test-engines/control.ts';
import { createFaultProxy, type FaultProxy } from '@waymark/test-engines/fault-proxy.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { openClient } from '../api/client.ts';
import { aPinpoint } from '../api/samples.ts';
import { type Application, bodyOf, openSession, type Session, tokenCall } from '../api/session.ts';
import { useDesk } from '../cli/waymark.ts';
import { withLog } from './history/facts.ts';
import { type Cluster, startCluster } from './setup/cluster.ts';
import { verificationFindings } from './setup/rest.ts';
import { notReadyReasons, readAllEvents, restoreEvents } from './setup/rolled-back.ts';
import { until } from './setup/until.ts';

const noticedWithinMs = 300_000;
const idsSkipped = 1_000_000_000;

describeOn(
  ['eventstore', 'kafka', 'mongodb', 'redis', 'media', 'control'],
  'a cluster whose event store was rolled back to an older copy',
  () => {
    let [passage, cluster]: [FaultProxy?, Cluster?] = [];
    let [before, after]: [Session?, Session?] = [];
    let [kept, lost]: { readonly id: number }[] = [];
    const place: Record<string, string> = {};
    const desk = useDesk(place);
    const own = (): Cluster => cluster as Cluster;

    beforeAll(async () => {
      await control('wipe', 'eventstore');
      await control('start', 'eventstore');
      const { hostname, port } = new URL(urlOf('eventstore').replace(/^\w+:/, 'http:'));
      passage = await createFaultProxy({ host: hostname, port: Number(port) });
      cluster = await startCluster({ WAYMARK_EVENTSTORE_URL: `esdb://127.0.0.1:${passage.port}?tls=false` });
      place['WAYMARK_DATA_DIR'] = cluster.directory;
      before = await newSession(own());
      kept = await before.create('/pinpoints', aPinpoint({ name: 'kept' }));
      const copy = await withLog(readAllEvents);
      for (let nth = 0; nth < 50; nth += 1) lost = await before.create('/pinpoints', aPinpoint({ name: `lost ${nth}` }));
      await passage.cut();
      await control('wipe', 'eventstore');
      await control('start', 'eventstore');
      await restoreEvents(copy);
      await passage.heal();
    });
    afterAll(async () => {
      await cluster?.stop();
      await passage?.close();
    });

    it('reports it, and accepts no writes', async () => {
      // The service that accepts writes must report it itself: it acts on its own cached state.
      await until('the command service reports it', noticedWithinMs, async () =>
        (await notReadyReasons(own())).some((what) => what.startsWith('commands: ') && what.includes('waymark renew')),
      );
      const refused = await session(before).post('/pinpoints', aPinpoint({ name: 'too early' }));
      expect([refused.status, refused.headers['retry-after']]).toEqual([503, expect.any(String)]);
      expect(await own().ready()).toBe(false);
    });

    it('keeps the files that only the lost part names, for the case that it is put back', async () => {
      expect(await own().operator('POST', '/media/prune')).toMatchObject({ status: 503, text: expect.stringContaining('rolled back') });
    });

    it('is renewed only after writes are closed', async () => {
      expect(await desk.run('renew')).toMatchObject({ code: 4, stderr: expect.stringContaining('writes close') });
      expect(await desk.json(['writes', 'close'])).toEqual({ writes: 'closed' });
      expect(await desk.json(['status'])).toMatchObject({ writes: 'closed', ready: false });
    });

    it('is ready again after the renewal, by itself', async () => {
      const { incarnation } = await withLog((log) => log.state());
      const done = await desk.json<{ before: string; incarnation: string }>(['renew']);
      expect(done.before).toBe(incarnation);
      expect(await desk.json(['status'])).toMatchObject({ writes: 'closed', ready: true, missing: [], incarnation: done.incarnation });
      expect(done.incarnation).not.toBe(incarnation);
    });

    it('refuses earlier tokens, and shows exactly the content of its log', async () => {
      expect((await session(before).get(`/pinpoints/${kept?.id}`)).status).toBe(401);
      after = await sessionOf(own(), session(before).application);
      bodyOf(await after.get(`/pinpoints/${kept?.id}`), 200);
      expect((await after.get(`/pinpoints/${lost?.id}`)).status).toBe(404);
      expect(await verificationFindings(own())).toEqual([]);
    });

    it('accepts writes after they are opened, and assigns no id twice', async () => {
      const closed = await session(after).post('/pinpoints', aPinpoint({ name: 'still closed' }));
      expect([closed.status, closed.body]).toEqual([503, expect.objectContaining({ detail: 'Writes are closed.' })]);
      expect((await own().operator('POST', '/applications', { account: 'any', name: 'any' })).status).toBe(503);
      expect(await desk.json(['writes', 'open'])).toEqual({ writes: 'open' });
      const made = await until('writes are accepted', noticedWithinMs, async () => {
        const answer = await session(after).post('/pinpoints', aPinpoint({ name: 'new' }));
        if (answer.status === 201) lost = answer.body as { id: number };
        return answer.status === 201;
      });
      expect(made).toBeLessThan(noticedWithinMs);
      expect(lost?.id).toBeGreaterThan(idsSkipped);
      bodyOf(await session(after).get(`/pinpoints/${lost?.id}`), 200);
    });
  },
);

const session = (which: Session | undefined): Session => which as Session;

const newSession = async (cluster: Cluster): Promise<Session> => {
  const made = await cluster.operator('POST', '/applications', { account: ownName('renewed'), name: 'renewed', scopes: ['read', 'write'] });
  return sessionOf(cluster, bodyOf<Application>(made, 201));
};

const sessionOf = async ({ url }: Cluster, application: Application): Promise<Session> => {
  const client = openClient(url);
  const { access_token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
  return openSession(client.send, application, access_token);
};
