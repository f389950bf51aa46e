import { join } from 'node:path';
import { dropExpired } from '@waymark/operator/housekeeping.ts';
import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import { openClient } from '../api/client.ts';
import { bodyOf } from '../api/session.ts';
import { outcome, patienceMs, spawnWaymark } from '../cli/waymark.ts';
import { withLog } from '../cluster/history/facts.ts';
import type { Cluster } from '../cluster/setup/cluster.ts';
import { dropDatabase } from '../cluster/setup/own-names.ts';
import { figuresOf, pidOf } from '../cluster/setup/processes.ts';
import { until } from '../cluster/setup/until.ts';
import { useCluster } from '../cluster/setup/use-cluster.ts';
import { useTestServers } from '../crash/test-servers.ts';
import { gridFs } from '../upgrade/cluster/stores.ts';
import { exportAnotherInstallation } from './another-installation.ts';
import { streamsOf } from './event-store.ts';
import { performEverything } from './everything.ts';
import { filesOf } from './files.ts';
import { expectAsBefore } from './golden.ts';
import { topicOf } from './kafka.ts';
import { masking } from './masked.ts';
import { metricsIn } from './metrics.ts';
import { areProofsComplete, collectionsOf } from './mongodb.ts';
import { observed } from './observed.ts';
import { newRecording } from './recorded.ts';
import { recordBefore } from './recorder.ts';
import { keysOf, listen } from './redis.ts';

// Does for a cluster what outside.test.ts does for one process. The engines hold the data of this cluster and nothing else.

const publicUrl = 'http://waymark.test';

describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'control'], 'A cluster', () => {
  const ground = useTestServers('file');
  const mediaDatabase = ownName('outside');
  const cluster = useCluster(() => ({
    WAYMARK_PUBLIC_URL: publicUrl,
    WAYMARK_MEDIA_URL: gridFs(mediaDatabase),
    WAYMARK_READ_WAIT_MS: '60000',
    // The notary finds nothing to sign when it starts.
    WAYMARK_NOTARY_SECONDS: '86400',
  }));
  afterAll(() => dropDatabase({ database: mediaDatabase }));

  it(
    'prints, answers, measures and stores the same as before',
    async () => {
      const directory = ground.directory();
      await exportAnotherInstallation(directory);
      const { own, url, operatorUrl, operatorToken } = cluster();
      const names = { [directory]: 'directory', [cluster().directory]: 'data', [own.database]: 'cluster', [mediaDatabase]: 'media' };
      const [values, forms] = [masking(names), masking(names, 'forms')];
      const [client, recorder, listening] = [
        openClient(url),
        await recordBefore(operatorUrl, { named: publicUrl, reached: url }),
        await listen(forms),
      ];
      try {
        const address = { WAYMARK_OPS_URL: recorder.url, WAYMARK_OPS_TOKEN: operatorToken };
        const life = newRecording({ client, waymark: (words) => outcome(spawnWaymark(directory, address, words)) });
        await life.run('import', join(directory, 'export'));
        await performEverything(life, directory, () => signIn(cluster()));
        await life.run('adopt', '--signing-key');
        await life.run('adopt', '--instead-of', '0'.repeat(32));
        const { commands, operator, api } = observed(life, recorder.exchanges, values);
        expectAsBefore('cluster: commands', commands);
        expectAsBefore('cluster: operator API', operator);
        expectAsBefore('cluster: API', api);
        expectAsBefore('cluster: metrics', await metricsOf(cluster()));
        expectAsBefore('cluster: event store', await streamsOf(values));
        expectAsBefore('cluster: Kafka', await topicOf(own.topic, forms));
        await until('the proof store has all events', patienceMs, () => areProofsComplete(own.database));
        expectAsBefore('cluster: MongoDB', await collectionsOf(own.database, forms));
        expectAsBefore('cluster: GridFS', await collectionsOf(mediaDatabase, forms));
        expectAsBefore('cluster: Redis', { keys: await keysOf(own.prefix, forms), published: listening.heard() });
        expectAsBefore('cluster: files', filesOf(cluster().directory, values));
        // The operator service does so after 48 hours.
        await withLog((log) =>
          dropExpired({ log, truncate: log.truncate }, { beforeMs: Date.now(), signal: AbortSignal.timeout(patienceMs) }),
        );
        expectAsBefore('cluster: expired tokens and claims', { pruned: (await streamsOf(values))['pruned'] });
      } finally {
        client.close();
        listening.close();
        await recorder.close();
      }
    },
    patienceMs,
  );
});

/** Restarts the notary, which signs when it stops. */
const signIn = async (cluster: Cluster): Promise<void> => {
  const pid = await pidOf(cluster, 'notary');
  process.kill(pid, 'SIGTERM');
  await until('the notary has signed', patienceMs, async () => {
    const isReady = (await pidOf(cluster, 'notary')) !== pid && (await cluster.ready());
    return isReady && (await figuresOf<{ readonly number: number }>(cluster, 'notary')).number === 1;
  });
};

/** Returns the metrics of the first process of each service. */
const metricsOf = async ({ operator, operatorUrl }: Cluster): Promise<Readonly<Record<string, unknown>>> => {
  const { processes } = bodyOf<{ readonly processes: readonly { readonly name: string; readonly operator: string }[] }>(
    await operator('GET', '/status'),
    200,
  );
  const metricsAt = async (address: string) => metricsIn(await (await fetch(`${address}/metrics`)).text());
  const all = [...processes, { name: 'operator', operator: operatorUrl }];
  return Object.fromEntries(await Promise.all(all.map(async (one) => [one.name, await metricsAt(one.operator)] as const)));
};
