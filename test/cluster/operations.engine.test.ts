import { operationsStream } from '@waymark/domain/streams.ts';
import { describeOn } from '@waymark/test-engines/test-engines.ts';
import { bodyOf } from '../api/session.ts';
import { withLog } from './history/facts.ts';
import { type Cluster, startCluster } from './setup/cluster.ts';
import { pidOf } from './setup/processes.ts';
import { until } from './setup/until.ts';

const hangMs = 300_000;

jest.setTimeout(2 * hangMs);

describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'media'], 'A long operation of a cluster', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  }, hangMs);
  afterAll(() => cluster?.stop(), hangMs);

  /** Other tests write to the log that this cluster reads, and give cause to other warnings. */
  const interruptions = async (): Promise<readonly string[]> => {
    const { warnings } = bodyOf<{ warnings: readonly string[] }>(await cluster.operator('GET', '/status'), 200);
    return warnings.filter((warning) => warning.startsWith('The operation was interrupted'));
  };

  it('whose operator service is killed is reported after the restart, until it has been run again', async () => {
    expect(await interruptions()).toEqual([]);
    const before = await pidOf(cluster, 'operator');
    const rebuilt = cluster.operator('POST', '/rebuild').catch(() => undefined);
    await until(
      'the rebuild has begun',
      hangMs,
      async () => (await withLog((log) => log.read(operationsStream(cluster.own.database), 0))).length > 0,
    );
    process.kill(before, 'SIGKILL');
    expect(await rebuilt).toBeUndefined();
    await until('the operator service is back', hangMs, async () => (await pidOf(cluster, 'operator')) !== before);
    await until(
      'it is reported',
      hangMs,
      async () => (await interruptions()).join() === 'The operation was interrupted, run it again: rebuild.',
    );
    await until('it can be run again', hangMs, async () => (await cluster.operator('POST', '/rebuild')).status === 200);
    expect(await interruptions()).toEqual([]);
  });
});
