import type { Measurement } from '../figure.ts';
import type { MeasuredCluster } from '../measured-cluster.ts';
import { measureBacklog } from './backlog.ts';
import { measureCreates } from './creates.ts';
import { measureGets } from './gets.ts';
import { measureLag } from './lag.ts';
import { measureRebuild } from './rebuild.ts';
import { measureScale } from './scale.ts';

/** The order matters. Rows that need an idle machine come first. The row that fills the log comes last, because each new cluster reads the
 * whole log. */
export const clusterRows: Readonly<Record<string, (measuredCluster: MeasuredCluster) => Promise<Measurement>>> = {
  backlog: measureBacklog,
  creates: measureCreates,
  gets: measureGets,
  lag: measureLag,
  scale: measureScale,
  rebuild: measureRebuild,
};
