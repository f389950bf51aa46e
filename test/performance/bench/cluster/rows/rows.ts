import type { Measurement } from '../figure.ts';
import type { MeasuredCluster } from '../measured-cluster.ts';
import { measureBacklog } from './backlog.ts';
import { measureCreates } from './creates.ts';
import { measureGets } from './gets.ts';
import { measureLag } from './lag.ts';
import { measureRebuild } from './rebuild.ts';
import { measureScale } from './scale.ts';

/** In this order: what needs an idle machine first, what fills the log last, because each new cluster reads all of it. */
export const clusterRows: Readonly<Record<string, (world: MeasuredCluster) => Promise<Measurement>>> = {
  backlog: measureBacklog,
  creates: measureCreates,
  gets: measureGets,
  lag: measureLag,
  scale: measureScale,
  rebuild: measureRebuild,
};
