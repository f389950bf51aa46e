import { setTimeout as pause } from 'node:timers/promises';
import { partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import { openClient } from '../api/client.ts';
import { type Application, bodyOf, openSession, tokenCall } from '../api/session.ts';
import { randomFrom } from '../crash/random.ts';
import { allFaults, late, lost, none, overtaken, type RecordFault, reordered, repeated, tailLost } from './hostile/mischief.ts';
import { type HostileRelay, replaceRelay } from './hostile/relay.ts';
import type { Fault } from './setup/trial.ts';
import { until } from './setup/until.ts';
import { itSurvives, repetitions, useCluster } from './setup/use-cluster.ts';

const mischiefMs = 1_200;
const silentWithinMs = 300_000;
const closeMs = 30_000;
const placeMs = 60_000;

describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'media', 'control'], 'A cluster under load, when its records', () => {
  const cluster = useCluster();
  let relay: HostileRelay | undefined;
  beforeAll(async () => {
    relay = await replaceRelay(cluster(), randomFrom(Math.floor(Math.random() * 2 ** 32)));
  }, placeMs);
  afterAll(() => relay?.close(), closeMs);
  afterEach(() => relay?.setFault(none));

  /** Returns a fault that lasts to the end of the strike. It does not prevent the cluster from coming to rest. */
  const suffering = (mischief: RecordFault): Fault => ({
    strike: async () => {
      relay?.setFault(mischief);
      await pause(mischiefMs);
    },
    refuses: [],
    keepsProcesses: true,
  });

  itSurvives('get lost, one in a hundred', cluster, suffering(lost(0.01)));
  itSurvives('are repeated', cluster, suffering(repeated));
  itSurvives('are reordered', cluster, suffering(reordered));
  itSurvives('are overtaken by later ones', cluster, suffering(overtaken));
  itSurvives('are late', cluster, suffering(late));
  itSurvives('suffer all of these faults', cluster, suffering(allFaults));
  itSurvives('get lost in half of the partitions, all of them for a while', cluster, {
    strike: async () => {
      relay?.setFault(tailLost(new Set([0, 2, 4, 6, 8, 10])));
      await pause(mischiefMs);
      relay?.setFault(none);
    },
    refuses: [],
    keepsProcesses: true,
  });

  it(
    'all get lost before a partition falls silent: its watermarks show the gap',
    async () => {
      const { url, operator } = cluster();
      const client = openClient(url);
      const body = { account: ownName('account'), name: 'test/cluster', scopes: ['read', 'write'] };
      const application = bodyOf<Application>(await operator('POST', '/applications', body), 201);
      const { access_token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
      const session = openSession(client.send, application, access_token);
      relay?.setFault(tailLost(new Set(Array.from({ length: partitionsOfCluster }, (_, partition) => partition))));
      for (let time = 0; time < repetitions; time += 1) {
        const { id } = await session.create('/lists', { name: `list ${time}` });
        await until('the last write is visible', silentWithinMs, async () => (await session.get(`/lists/${id}`)).status === 200);
      }
      client.close();
    },
    repetitions * silentWithinMs,
  );
});
