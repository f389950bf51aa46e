import { limits } from '../../limits.ts';
import { creates } from '../../loads.ts';
import { type Contestant, inTurn, runLoad } from '../../measure.ts';
import { walk } from '../../walk.ts';
import type { Measurement } from '../figure.ts';
import type { Installation } from '../installation.ts';
import type { MeasuredCluster } from '../measured-cluster.ts';
import { meter, summed, type Usage } from '../usage.ts';

type Created = { readonly perSecond: number; readonly p50Ms: number; readonly p99Ms: number; readonly usage: Usage };

const goal = { least: 2_000 } as const;

/** Measures creates through the edge, over all accounts. Each is answered once all readers see it. */
export const measureCreates = async (measuredCluster: MeasuredCluster): Promise<Measurement> => {
  const cluster = await measuredCluster.cluster();
  const standalone = await measuredCluster.standalone();
  const tokens = cluster.accounts.map(({ token }) => token);
  const before = await countOf(cluster);
  let acknowledged = 0;
  const contestants: Contestant<'standalone' | 'cluster', Created>[] = [
    { column: 'standalone', measure: (seconds) => created(measuredCluster, creates(standalone), seconds, []) },
    {
      column: 'cluster',
      measure: async (seconds) => {
        const done = await created(measuredCluster, creates({ ...cluster, token: '' }, tokens), seconds, cluster.measured);
        acknowledged += done.requests + limits.probes;
        return done;
      },
    },
  ];
  const { samples: taken } = await inTurn(measuredCluster.scale, contestants);
  await assertCount(cluster, before + acknowledged, (measuredCluster.scale.rounds + 1) * limits.connections);
  const [ours = [], theirs = []] = [taken.cluster, taken.standalone];
  const usage = summed(ours.map((one) => one.usage));
  return {
    figures: [
      {
        title: `create through the whole pipeline, answered when visible, ${limits.connections} connections, ${tokens.length} accounts`,
        unit: '/s',
        cluster: ours.map(({ perSecond }) => perSecond),
        standalone: theirs.map(({ perSecond }) => perSecond),
        goal,
        usage,
      },
      {
        title: 'of these, p50',
        unit: ' ms',
        cluster: ours.map(({ p50Ms }) => p50Ms),
        standalone: theirs.map(({ p50Ms }) => p50Ms),
      },
      {
        title: 'of these, p99',
        unit: ' ms',
        cluster: ours.map(({ p99Ms }) => p99Ms),
        standalone: theirs.map(({ p99Ms }) => p99Ms),
      },
    ],
  };
};

const created = async (
  measuredCluster: MeasuredCluster,
  load: ReturnType<typeof creates>,
  seconds: number,
  measured: Installation['measured'],
) => {
  const used = meter(measured);
  const outcome = await runLoad(measuredCluster.generator, load, seconds);
  return { ...outcome, usage: used() };
};

const countOf = async ({ base, accounts }: Installation): Promise<number> => {
  let count = 0;
  for (const { token } of accounts) count += (await walk({ base, token })).ids.length;
  return count;
};

/** Checks that every acknowledged pinpoint exists, and no others except those that the end of a load cut off before the response. */
const assertCount = async (cluster: Installation, least: number, cutOff: number): Promise<void> => {
  const count = await countOf(cluster);
  if (count < least || count > least + cutOff) throw new Error(`${count} pinpoints exist; expected ${least} and at most ${cutOff} more`);
};
