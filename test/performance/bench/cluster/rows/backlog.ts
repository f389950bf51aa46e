import { partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { ownName } from '@waymark/test-engines/test-engines.ts';
import { newOwn, removeOwn } from '../../../../cluster/setup/own-names.ts';
import { measureRate } from '../counting.ts';
import type { Measurement } from '../figure.ts';
import { clusterLimits } from '../limits.ts';
import { appendCreations } from '../log.ts';
import type { MeasuredCluster } from '../measured-cluster.ts';
import { scraped } from '../scrape.ts';
import { type Service, startService } from '../service.ts';
import { meter, summed, type Usage } from '../usage.ts';

type Own = ReturnType<typeof newOwn>;
type Worked = { readonly perSecond: number; readonly usage: Usage };

/** Measures the relay and the projector, one at a time, each with a backlog that built up while it was stopped. Nothing else runs. */
export const measureBacklog = async (measuredCluster: MeasuredCluster): Promise<Measurement> => {
  const own = newOwn();
  const relayed: Worked[] = [];
  const projected: Worked[] = [];
  try {
    await settleIn(measuredCluster, own);
    for (let round = 0; round < measuredCluster.scale.backlogRounds; round += 1) {
      await appendCreations(newNames(), measuredCluster.scale.backlogEvents);
      relayed.push(await relay(measuredCluster, own));
      projected.push(await project(measuredCluster, own));
    }
  } finally {
    await removeOwn(own);
  }
  const figure = (title: string, worked: readonly Worked[], least: number) => ({
    title: `${title} of ${measuredCluster.scale.backlogEvents.toLocaleString('en')} events in ${partitionsOfCluster} partitions`,
    unit: '/s' as const,
    cluster: worked.map(({ perSecond }) => perSecond),
    goal: { least },
    usage: summed(worked.map(({ usage }) => usage)),
  });
  return {
    figures: [figure('relay, from a backlog', relayed, 20_000), figure('projector, from a backlog', projected, 10_000)],
  };
};

const newNames = (): readonly string[] => Array.from({ length: clusterLimits.accounts }, () => ownName('backlog'));

const relayedEvents = ({ operator }: Service) => scraped(operator, 'waymark_relay_records_total', 'kind="event"');
const appliedEvents = ({ operator }: Service) => scraped(operator, 'waymark_projection_events_total');

/** Starts both once, so that the partitions have a position from which to resume and the read models are live. */
const settleIn = async ({ directory }: MeasuredCluster, own: Own): Promise<void> => {
  const running = await Promise.all([startService('relay', own, directory), startService('projector', own, directory)]);
  await Promise.all(running.map(({ stop }) => stop()));
};

const relay = (measuredCluster: MeasuredCluster, own: Own): Promise<Worked> => working(measuredCluster, own, 'relay', relayedEvents);
const project = (measuredCluster: MeasuredCluster, own: Own): Promise<Worked> => working(measuredCluster, own, 'projector', appliedEvents);

const working = async (
  { directory, scale, beside }: MeasuredCluster,
  own: Own,
  name: string,
  count: (service: Service) => Promise<number>,
): Promise<Worked> => {
  const service = await startService(name, own, directory, {}, '/livez');
  try {
    const used = meter([{ name, pids: [service.pid] }, ...beside]);
    const perSecond = await measureRate(() => count(service), 0, scale.backlogEvents);
    const usage = used();
    return { perSecond, usage };
  } finally {
    await service.stop();
  }
};
