import { join } from 'node:path';
import type { Generator } from '../load.ts';
import { type Server, startServer } from '../server.ts';
import { waymark } from '../subjects.ts';
import { type Filled, filled } from './filled.ts';
import { type Installation, openInstallation } from './installation.ts';
import type { ClusterScale } from './limits.ts';
import { engineProcesses, type Measured } from './usage.ts';

/** The installations that are measured, each started at its first use. */
export type MeasuredCluster = {
  readonly directory: string;
  readonly scale: ClusterScale;
  readonly generator: Generator;
  /** A cluster with one process of each service, and a second query gateway on which visibility is checked. */
  readonly cluster: () => Promise<Installation>;
  /** The pinpoints of all accounts of the cluster. */
  readonly filled: () => Promise<Filled>;
  /** The standalone form, to compare with. */
  readonly standalone: () => Promise<Server>;
  /** The processes beside the cluster: the engines and this process. */
  readonly beside: readonly Measured[];
  /** Stops everything that was started. */
  readonly stop: () => Promise<void>;
};

export const openMeasuredCluster = (directory: string, scale: ClusterScale, generator: Generator): MeasuredCluster => {
  let started: { cluster?: Promise<Installation>; filled?: Promise<Filled>; standalone?: Promise<Server> } = {};
  const cluster = (): Promise<Installation> => {
    started.cluster ??= openInstallation('query-gateway=2');
    return started.cluster;
  };
  return {
    directory,
    scale,
    generator,
    cluster,
    filled: () => {
      started.filled ??= cluster().then(filled);
      return started.filled;
    },
    standalone: () => {
      started.standalone ??= startServer(waymark, join(directory, 'standalone'));
      return started.standalone;
    },
    beside: [...engineProcesses(), { name: 'bench', pids: [process.pid] }],
    stop: async () => {
      const { cluster: running, standalone } = started;
      started = {};
      const stops = await Promise.allSettled([running, standalone]);
      for (const one of stops) if (one.status === 'fulfilled') await one.value?.stop().catch((error: unknown) => console.error(error));
    },
  };
};
