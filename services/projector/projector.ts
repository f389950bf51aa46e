import type { ProjectorFiguresResponse } from '@waymark/cluster-runtime/figures-response.ts';
import { createGenerationKeeper, type GenerationKeeperPorts } from './generations/generation-keeper.ts';
import { metricsText } from './metrics.ts';
import { figuresResponse } from './responses.ts';
import type { ProjectionStats } from './stats.ts';

/** Feeds the read side from Kafka, and from the event log what Kafka does not have. */
export type Projector = {
  /** What keeps it from being ready, in words; nothing when it is. */
  readonly notReady: () => readonly string[];
  readonly figures: () => ProjectorFiguresResponse;
  /** Prometheus' text. */
  readonly metrics: () => string;
  /** Begins a generation beside the live one, to take its place once it has everything. @returns its name @throws ReadModelsUnavailable */
  readonly rebuild: () => Promise<string>;
  /** Feeds on while a generation that gave way to another version's is still read, within the grace period; then finishes what is at hand. */
  readonly close: () => Promise<void>;
};

export type ProjectorPorts = GenerationKeeperPorts;

export const createProjector = (ports: ProjectorPorts): Projector => {
  const { feeds, comparisons, troubles, rebuild, close } = createGenerationKeeper(ports);
  const projections = (): ProjectionStats[] => feeds().flatMap(({ projection }) => projection()?.figures() ?? []);
  return {
    notReady: troubles,
    figures: () => figuresResponse(projections()),
    metrics: () => metricsText(projections(), comparisons()),
    rebuild,
    close,
  };
};
