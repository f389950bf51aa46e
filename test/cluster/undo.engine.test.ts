import { setTimeout as pause } from 'node:timers/promises';
import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import { type Client, openClient } from '../api/client.ts';
import { type Application, bodyOf, openSession, tokenCall } from '../api/session.ts';
import { startJob } from '../api/undo-jobs.ts';
import { type Random, seededRun } from '../crash/random.ts';
import { checkUndone, prepare } from '../crash/undo-load.ts';
import { type Cluster, startCluster } from './setup/cluster.ts';

const runs = Number(process.env['WAYMARK_UNDO_KILLS'] ?? 1);
const killsOfARun = 2;
const killWithinMs = 600;
/** A bound that only catches hangs. */
const msPerRun = 600_000;
const startMs = 300_000;

describeOn(
  ['eventstore', 'kafka', 'mongodb', 'redis', 'media'],
  'An undo job of a cluster with two replicas of the command services',
  () => {
    let cluster: Cluster;
    let client: Client;

    beforeAll(async () => {
      cluster = await startCluster({ WAYMARK_REPLICAS: 'commands=2' });
      client = openClient(cluster.url);
    }, startMs);
    afterAll(async () => {
      client?.close();
      await cluster?.stop();
    }, startMs);

    /** Kills all replicas with SIGKILL. Their supervisor starts them again. */
    const killReplicas = async (random: Random): Promise<void> => {
      await pause(random.below(killWithinMs));
      for (const { name, pid } of await cluster.processes())
        if (name.startsWith('commands') && pid !== undefined) process.kill(pid, 'SIGKILL');
    };

    it(
      `does nothing twice and leaves nothing out, in every job whose processes are killed (jobs: ${runs})`,
      () =>
        seededRun(async (random) => {
          for (let run = 0; run < runs; run += 1) {
            const order = { account: ownName('undo'), name: 'test/cluster', scopes: ['read', 'write', 'audit'] };
            const application = bodyOf<Application>(await cluster.operator('POST', '/applications', order), 201);
            const { access_token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
            const me = openSession(client.send, application, access_token);
            const loaded = await prepare(me);
            const { id } = await startJob(me, { correlation: loaded.correlation, dry_run: false });
            for (let kill = 0; kill < killsOfARun; kill += 1) await killReplicas(random);
            await checkUndone(me, id, loaded);
          }
        }),
      runs * msPerRun,
    );
  },
);
