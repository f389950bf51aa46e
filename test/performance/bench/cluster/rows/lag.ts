import type { Server } from '../../server.ts';
import { lagBuckets, lagP99Ms } from '../../waymark.ts';
import type { Measurement } from '../figure.ts';
import { serviceOf } from '../installation.ts';
import { createAtRate, type LagResult, type Times } from '../lag.ts';
import type { MeasuredCluster } from '../measured-cluster.ts';
import { meter } from '../usage.ts';

const goal = { most: 50 } as const;

/** Measures how far the read models lag behind while writes arrive at a fixed rate. */
export const measureLag = async (measuredCluster: MeasuredCluster): Promise<Measurement> => {
  const { scale } = measuredCluster;
  const cluster = await measuredCluster.cluster();
  const targets = await measuredCluster.filled();
  const [, second] = serviceOf(cluster, 'query-gateway');
  if (second?.api === undefined) throw new Error('There is no second gateway on which to check visibility.');
  const options = {
    base: cluster.base,
    tokens: cluster.accounts.map(({ token }) => token),
    perSecond: scale.writesPerSecond,
    projectors: serviceOf(cluster, 'projector').map(({ operator }) => operator),
    watch: { base: second.api, targets },
  };
  await createAtRate({ ...options, seconds: scale.warmUpSeconds });
  const used = meter(cluster.measured);
  const ours = await createAtRate({ ...options, seconds: scale.heldSeconds });
  const usage = used();
  const theirs = await standaloneLag(await measuredCluster.standalone(), scale);
  const rate = `at ${scale.writesPerSecond} writes/s`;
  const title = (what: string) => `${what}, ${rate}`;
  return {
    figures: [
      { title: title('from an event’s time until all readers see it, p50'), unit: ' ms', cluster: [ours.lag.p50Ms] },
      { title: title('the same, p99'), unit: ' ms', cluster: [ours.lag.p99Ms], standalone: [theirs.lagP99Ms], goal, usage },
      ...timesFigures(
        'from sending a create to its response (visible to all readers)',
        ours.answered,
        theirs.answered.answered,
        rate,
        ours.lagging,
      ),
      ...timesFigures('from sending an update until another gateway shows it', ours.seen, undefined, rate),
    ],
  };
};

const timesFigures = (title: string, ours: Times | undefined, theirs: Times | undefined, rate: string, lagging = 0) =>
  (['p50Ms', 'p99Ms'] as const).flatMap((name) =>
    ours === undefined
      ? []
      : [
          {
            title: `${title}, ${rate}, ${name.slice(0, 3)}`,
            unit: ' ms' as const,
            cluster: [ours[name]],
            ...(theirs && { standalone: [theirs[name]] }),
            ...(lagging > 0 && { note: `${lagging} responses did not confirm visibility` }),
          },
        ],
  );

const standaloneLag = async (
  server: Server,
  { writesPerSecond, heldSeconds }: MeasuredCluster['scale'],
): Promise<{ readonly lagP99Ms: number; readonly answered: LagResult }> => {
  const before = await lagBuckets(server.directory);
  const answered = await createAtRate({
    base: server.base,
    tokens: [server.token],
    perSecond: writesPerSecond,
    seconds: heldSeconds,
    projectors: [],
  });
  return { lagP99Ms: lagP99Ms(before, await lagBuckets(server.directory)), answered };
};
