import type { ProjectorFiguresResponse } from '@waymark/cluster-runtime/figures-response.ts';
import type { Work } from '@waymark/cluster-runtime/stall-watch.ts';
import type { GenerationFeeder } from './generations/generation-feeder.ts';
import { createGenerationKeeper, type GenerationKeeperPorts } from './generations/generation-keeper.ts';
import { cleanHistory, type HistoryCleanerOptions } from './history-cleaner.ts';
import { projectorMetrics } from './metrics.ts';
import { figuresResponse } from './responses.ts';
import type { ProjectionStats } from './stats.ts';

/** Feeds the read models from Kafka, and from the event log with the events that Kafka does not have. */
export type Projector = {
  /** The reasons why the process is not ready, as text; empty if it is ready. */
  readonly notReady: () => readonly string[];
  /** The reasons why the history is not complete, and which partitions receive no records, as text. */
  readonly warnings: () => readonly string[];
  readonly stats: () => ProjectorFiguresResponse;
  /** What it does: it checks the generations, and applies to each what was received. */
  readonly works: () => readonly Work[];
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

/** The history's own store, version and consumer groups. */
export type HistoryPorts = GenerationKeeperPorts & Pick<HistoryCleanerOptions, 'readSide'>;

/** @param historyPorts with them, the projector feeds the history as well. A history that is incomplete does not affect the read models. */
export const createProjector = (ports: ProjectorPorts, historyPorts?: HistoryPorts): Projector => {
  const { feeders, comparisons, problems, works, rebuild, close } = createGenerationKeeper(ports);
  const history = historyPorts && createGenerationKeeper(historyPorts);
  const cleaner = historyPorts && cleanHistory({ ...historyPorts, fed: () => history?.feeders().map(({ name }) => name) ?? [] });
  const statsOf = (fed: readonly GenerationFeeder[]): ProjectionStats[] => fed.flatMap(({ projection }) => projection()?.stats() ?? []);
  const warningsOf = (fed: readonly GenerationFeeder[]): string[] => fed.flatMap(({ projection }) => projection()?.warnings() ?? []);
  const ofHistory = (): ProjectionStats[] => statsOf(history?.feeders() ?? []);
  const projections = (): ProjectionStats[] => [...statsOf(feeders()), ...ofHistory()];
  return {
    notReady: problems,
    stats: () => figuresResponse(projections()),
    metrics: projectorMetrics({ projections, history: ofHistory }, comparisons),
    works: () => [...works(), ...(history?.works() ?? []).map((work) => ({ ...work, name: `history: ${work.name}` }))],
    warnings: () => [
      ...warningsOf(feeders()),
      ...[...(history?.problems() ?? []), ...warningsOf(history?.feeders() ?? [])].map((problem) => `History: ${problem}`),
    ],
    rebuild,
    close: async () => {
      await cleaner?.close();
      await Promise.all([close(), history?.close()]);
    },
  };
};
