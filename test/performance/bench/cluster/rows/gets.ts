import type { Load } from '../../load.ts';
import { getsOf } from '../../loads.ts';
import { type Contestant, inTurn, runLoad } from '../../measure.ts';
import type { ClusterRowResult, Measurement } from '../figure.ts';
import { createdIn } from '../filled.ts';
import { serviceOf } from '../installation.ts';
import type { MeasuredCluster } from '../measured-cluster.ts';
import { startService } from '../service.ts';
import { type Measured, meter, summed, type Usage } from '../usage.ts';

type Who = 'standalone' | 'gateway' | 'cached' | 'edge';
type Got = { readonly perSecond: number; readonly perProcessorSecond: number; readonly usage: Usage };

const goal = { least: 15_000 } as const;

/** Measures single reads: on one gateway called directly, from MongoDB and with its cache, and on the whole cluster through the edge. */
export const measureGets = async (measuredCluster: MeasuredCluster): Promise<Measurement> => {
  const cluster = await measuredCluster.cluster();
  const targets = await measuredCluster.filled();
  const standalone = await measuredCluster.standalone();
  const own = await createdIn(standalone.base, [standalone], targets.length);
  const plain = await startService('query-gateway', cluster.cluster.own, measuredCluster.directory, { WAYMARK_GATEWAY_CACHE: 'off' });
  const cached = await startService('query-gateway', cluster.cluster.own, measuredCluster.directory, { WAYMARK_GATEWAY_CACHE: 'on' });
  try {
    const one = (column: Who, load: Load, pids: readonly number[]): Contestant<Who, Got> => ({
      column,
      measure: (seconds) => got(measuredCluster, load, { name: column, pids }, seconds),
    });
    const { samples: taken } = await inTurn(measuredCluster.scale, [
      one('standalone', getsOf(standalone.base, own), [standalone.pid]),
      one('gateway', getsOf(plain.api, targets), [plain.pid]),
      one('cached', getsOf(cached.api, targets), [cached.pid]),
      one(
        'edge',
        getsOf(cluster.base, targets),
        serviceOf(cluster, 'query-gateway').map(({ pid }) => pid),
      ),
    ]);
    return { figures: figuresOf(taken) };
  } finally {
    await plain.stop();
    await cached.stop();
  }
};

const got = async (measuredCluster: MeasuredCluster, load: Load, readers: Measured, seconds: number): Promise<Got> => {
  const used = meter([readers, ...measuredCluster.beside]);
  const { perSecond, requests } = await runLoad(measuredCluster.generator, load, seconds);
  const usage = used();
  return { perSecond, perProcessorSecond: requests / (usage.seconds[readers.name] ?? 0), usage };
};

type Taken = Readonly<Partial<Record<Who, readonly Got[]>>>;

const figuresOf = (taken: Taken): readonly ClusterRowResult[] => {
  const per = (who: Who, what: 'perSecond' | 'perProcessorSecond'): readonly number[] => (taken[who] ?? []).map((one) => one[what]);
  const usage = (who: Who): Usage => summed((taken[who] ?? []).map((one) => one.usage));
  return [
    {
      title: 'GET one from MongoDB, per second of a gateway’s processor time (called directly, cache off)',
      unit: '/s',
      cluster: per('gateway', 'perProcessorSecond'),
      standalone: per('standalone', 'perProcessorSecond'),
      goal,
    },
    {
      title: 'the same, per second of elapsed time on the shared cores',
      unit: '/s',
      cluster: per('gateway', 'perSecond'),
      standalone: per('standalone', 'perSecond'),
      usage: usage('gateway'),
    },
    {
      title: 'GET one with the cache, per second of the gateway’s processor time',
      unit: '/s',
      cluster: per('cached', 'perProcessorSecond'),
    },
    { title: 'the same, per second of elapsed time', unit: '/s', cluster: per('cached', 'perSecond'), usage: usage('cached') },
    { title: 'GET one through the edge, two gateways', unit: '/s', cluster: per('edge', 'perSecond'), usage: usage('edge') },
  ];
};
