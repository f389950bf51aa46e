import { setTimeout as pause } from 'node:timers/promises';
import { type MongoReadSide, openMongoReadSide } from '@waymark/read-models/mongodb/read-side.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { openClient } from '../api/client.ts';
import { aPinpoint } from '../api/samples.ts';
import { type Application, bodyOf, openSession, type Session, tokenCall } from '../api/session.ts';
import { withLog } from '../cluster/history/facts.ts';
import { operatorPortOf, pidOf } from '../cluster/setup/processes.ts';
import { untilAtRest, verificationFindings } from '../cluster/setup/rest.ts';
import { until } from '../cluster/setup/until.ts';
import { useCluster } from '../cluster/setup/use-cluster.ts';

const hangsMs = 300_000;
const otherVersion = 99;
const feedEveryMs = 50;

describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'media', 'control'], 'read models that another version superseded', () => {
  // If the test fails, the projector stops although its generation is still read.
  const cluster = useCluster(() => ({ WAYMARK_GRACE_SECONDS: '20' }));
  let session: Session;

  beforeAll(async () => {
    const order = { account: ownName('superseded'), name: 'superseded', scopes: ['read', 'write'] };
    const application = bodyOf<Application>(await cluster().operator('POST', '/applications', order), 201);
    const client = openClient(cluster().url);
    const { access_token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
    session = openSession(client.send, application, access_token);
  });

  it(
    'are read by no process that starts, and are built again once nobody feeds those of the other version, as in a rollback',
    async () => {
      const { id } = await session.create('/pinpoints', aPinpoint({ name: 'kept' }));
      await untilAtRest(cluster());
      await supersede();
      expect((await session.read(`/pinpoints/${id}`))['name']).toBe('kept');

      const pid = await pidOf(cluster(), 'query-gateway');
      const served = `${await operatorPortOf(cluster(), 'query-gateway')}/servez`;
      process.kill(pid, 'SIGKILL');
      const reasons = async () => ((await (await fetch(served)).json()) as { missing?: readonly string[] }).missing ?? [];
      await until('the new gateway only misses a generation that it can rely on', hangsMs, async () => {
        const [reason, ...others] = await reasons();
        return others.length === 0 && reason?.includes('that this process can rely on') === true;
      });
      await pause(1_000);
      expect((await fetch(served)).status).toBe(503);

      await until('the projector has taken over, and the gateway serves', hangsMs, async () => {
        await session.post('/pinpoints', aPinpoint({ name: 'written meanwhile' }));
        return (await fetch(served)).status === 200;
      });
      expect((await session.read(`/pinpoints/${id}`))['name']).toBe('kept');
      await untilAtRest(cluster());
      expect((await session.post('/pinpoints', aPinpoint({ name: 'seen at once' }))).headers['x-read-lag']).toBeUndefined();
      expect(await verificationFindings(cluster())).toEqual([]);
    },
    3 * hangsMs,
  );

  /** Makes a generation of another version live, as its projector does, and then feeds it no more. */
  const supersede = async (): Promise<void> => {
    const { installation } = await withLog((log) => log.state());
    const { database } = cluster().own;
    const [ours, theirs] = [undefined, otherVersion].map((version) => openMongoReadSide({ url: urlOf('mongodb'), database, version }));
    if (ours === undefined || theirs === undefined) throw new Error('Two read sides were opened.');
    try {
      await theirs.claim(installation);
      const { read } = await ours.generations.roles();
      const name = await theirs.generations.begin();
      await follow(theirs, name, read ?? '');
      // It ends only once nobody reads the superseded generation, which is after this process has closed the connection.
      theirs.generations.promote(name).catch(() => undefined);
      await until('the other version is live', hangsMs, async () => {
        await follow(theirs, name, read ?? '');
        await pause(feedEveryMs);
        return (await ours.generations.roles()).isSuperseded;
      });
    } finally {
      await Promise.all([ours.close(), theirs.close()]);
    }
  };

  /** Moves a generation to the positions of another one, without its rows. */
  const follow = async ({ generation }: MongoReadSide, name: string, other: string): Promise<void> => {
    const [reached, goals] = await Promise.all([generation(name).positions(), generation(other).positions()]);
    const steps = goals.flatMap((to, partition) => {
      const after = reached[partition]?.position ?? 0;
      return to === undefined || after === to.position ? [] : [{ partition, after, events: [], to }];
    });
    await generation(name).applyTogether(steps);
  };
});
