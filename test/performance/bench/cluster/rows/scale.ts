import { getsOf } from '../../loads.ts';
import { runLoad } from '../../measure.ts';
import type { Measurement, ScaleResult } from '../figure.ts';
import { filled } from '../filled.ts';
import { type Installation, openInstallation, type Process, serviceOf } from '../installation.ts';
import { createAtRate } from '../lag.ts';
import type { MeasuredCluster } from '../measured-cluster.ts';
import { meter } from '../usage.ts';

/** Measures 1, 2 and 4 query gateways, each called directly, with 1 and 2 projectors, over many accounts. */
export const measureScale = async (measuredCluster: MeasuredCluster): Promise<Measurement> => {
  await measuredCluster.stop();
  const scale: ScaleResult[] = [];
  for (const projectors of [1, 2]) {
    const cluster = await openInstallation(`query-gateway=4,projector=${projectors}`);
    try {
      const targets = await filled(cluster);
      const lag = await lagOf(measuredCluster, cluster);
      for (const gateways of [1, 2, 4])
        scale.push({
          gateways,
          projectors,
          ...(await reads(measuredCluster, cluster, targets, serviceOf(cluster, 'query-gateway').slice(0, gateways))),
          ...lag,
        });
    } finally {
      await cluster.stop();
    }
  }
  return { figures: [], scale };
};

/** Measures reads. The connections are divided among the gateways, with one load generator for each. */
const reads = async (
  { generator, scale }: MeasuredCluster,
  { measured }: Installation,
  targets: Awaited<ReturnType<typeof filled>>,
  gateways: readonly Process[],
): Promise<Pick<ScaleResult, 'readsPerSecond' | 'readUsage'>> => {
  const run = async (seconds: number): Promise<number> => {
    const outcomes = await Promise.all(
      gateways.map(({ api = '' }) => {
        const load = getsOf(api, targets);
        return runLoad(generator, { ...load, connections: load.connections / gateways.length }, seconds);
      }),
    );
    return outcomes.reduce((sum, { perSecond }) => sum + perSecond, 0);
  };
  await run(scale.warmUpSeconds);
  const used = meter(measured);
  const readsPerSecond = await run(scale.roundSeconds);
  return { readsPerSecond, readUsage: used() };
};

const lagOf = async (
  { scale }: MeasuredCluster,
  cluster: Installation,
): Promise<Pick<ScaleResult, 'lagP50Ms' | 'lagP99Ms' | 'lagUsage'>> => {
  const options = {
    base: cluster.base,
    tokens: cluster.accounts.map(({ token }) => token),
    perSecond: scale.writesPerSecond,
    projectors: serviceOf(cluster, 'projector').map(({ operator }) => operator),
  };
  await createAtRate({ ...options, seconds: scale.warmUpSeconds });
  const used = meter(cluster.measured);
  const { lag } = await createAtRate({ ...options, seconds: scale.heldSeconds });
  return { lagP50Ms: lag.p50Ms, lagP99Ms: lag.p99Ms, lagUsage: used() };
};
