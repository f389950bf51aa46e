import { call } from '../../client.ts';
import { waitForCount } from '../counting.ts';
import type { Measurement } from '../figure.ts';
import { createdIn } from '../filled.ts';
import { newAccounts, serviceOf } from '../installation.ts';
import { clusterLimits } from '../limits.ts';
import { appendCreations } from '../log.ts';
import type { MeasuredCluster } from '../measured-cluster.ts';
import { scraped } from '../scrape.ts';
import { type TrafficResult, traffic } from '../traffic.ts';
import { meter } from '../usage.ts';

/** Measures a complete rebuild, while the live generation is read and written. */
export const measureRebuild = async (measuredCluster: MeasuredCluster): Promise<Measurement> => {
  const { cluster, base, accounts, measured, processes } = await measuredCluster.cluster();
  const projectors = serviceOf({ processes }, 'projector').map(({ operator }) => operator);
  const applied = async (label = ''): Promise<number> => {
    let events = 0;
    for (const operator of projectors) events += await scraped(operator, 'waymark_projection_events_total', label);
    return events;
  };
  const before = await applied();
  const { rebuiltEvents } = measuredCluster.scale;
  await appendCreations(
    accounts.map(({ name }) => name),
    rebuiltEvents,
  );
  await waitForCount(applied, before + rebuiltEvents, clusterLimits.rebuildMs);

  const people = await newAccounts(cluster, clusterLimits.trafficAccounts);
  const targets = await createdIn(base, people, clusterLimits.trafficPinpoints);
  let over = false;
  const used = meter(measured);
  const rebuilding = rebuild(cluster)
    .then((done) => ({ ...done, usage: used() }))
    .finally(() => {
      over = true;
    });
  const [rebuilt, seen] = await Promise.all([rebuilding, traffic(base, people, targets, () => over)]);
  const events = await applied(`generation="${rebuilt.generation}"`);
  const faults = [...seen.failed, ...seen.stale];
  const count = (number: number): string => number.toLocaleString('en');
  return {
    figures: [
      {
        title: `rebuild of ${count(events)} events during live traffic, until readers use it`,
        unit: '/s',
        cluster: [events / rebuilt.seconds],
        usage: rebuilt.usage,
        note: `${rebuilt.seconds.toFixed(1)} s, including the switch from one generation to the other`,
      },
      {
        title: `reads and writes meanwhile that failed or were stale (of ${count(seen.reads)} reads, ${count(seen.writes)} writes)`,
        unit: '',
        cluster: [faults.length],
        goal: { most: 0 },
        note: [...notesOf(seen), ...faults.slice(0, 3)].join('; '),
      },
    ],
  };
};

const notesOf = ({ lagging, leftOut }: TrafficResult): readonly string[] => [
  ...(lagging > 0 ? [`${lagging} writes were answered with X-Read-Lag`] : []),
  ...(leftOut > 0 ? [`${leftOut} reads were due but not sent, because too many were in progress`] : []),
];

type Rebuilt = { readonly generation: string; readonly seconds: number };

const rebuild = async ({
  operatorUrl,
  operatorToken,
}: {
  readonly operatorUrl: string;
  readonly operatorToken: string;
}): Promise<Rebuilt> =>
  (await call(`${operatorUrl}/operator/rebuild`, { method: 'POST', token: operatorToken, timeoutMs: clusterLimits.rebuildMs })) as Rebuilt;
