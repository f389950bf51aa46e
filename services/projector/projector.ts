import type { ProjectorFiguresResponse } from '@waymark/cluster-runtime/figures-response.ts';
import { createGenerationKeeper, type GenerationKeeperPorts } from './generations/generation-keeper.ts';
import { projectorMetrics } from './metrics.ts';
import { figuresResponse } from './responses.ts';
import type { ProjectionStats } from './stats.ts';

/** Feeds the read models from Kafka, and from the event log with the events that Kafka does not have. */
export type Projector = {
  /** The reasons why the process is not ready, as text; empty if it is ready. */
  readonly notReady: () => readonly string[];
  readonly stats: () => ProjectorFiguresResponse;
  /** The metrics in the Prometheus text format. */
  readonly metrics: () => Promise<string>;
  /** Starts a new generation next to the live one. The new generation becomes live once it is complete.
   * @returns its name
   * @throws ReadModelsUnavailable */
  readonly rebuild: () => Promise<string>;
  /** Stops the projector. A superseded generation is fed while it is still read, within the grace period; then the current transactions
   * finish. */
  readonly close: () => Promise<void>;
};

export type ProjectorPorts = GenerationKeeperPorts;

export const createProjector = (ports: ProjectorPorts): Projector => {
  const { feeders, comparisons, problems, rebuild, close } = createGenerationKeeper(ports);
  const projections = (): ProjectionStats[] => feeders().flatMap(({ projection }) => projection()?.stats() ?? []);
  return {
    notReady: problems,
    stats: () => figuresResponse(projections()),
    metrics: projectorMetrics(projections, comparisons),
    rebuild,
    close,
  };
};
