import { histogramText } from '@waymark/http/metrics/histogram.ts';
import { addCounter, addGauge } from '@waymark/runtime/collected-metrics.ts';
import { Registry } from 'prom-client';
import type { Comparison } from './ports.ts';
import { comparisonOutcomes } from './responses.ts';
import { lagBounds, type ProjectionStats, type Totals } from './stats.ts';

/** Returns a function that returns the metrics of the projections in the Prometheus text format. Those of the history are among all
 * projections, and have gauges of their own, because the history may be behind under load. */
export const projectorMetrics = (
  { projections, history }: { readonly projections: () => readonly ProjectionStats[]; readonly history: () => readonly ProjectionStats[] },
  comparisons: () => ReadonlyMap<string, Comparison>,
): (() => Promise<string>) => {
  const registry = new Registry();
  addTotals(registry, projections);
  addPositions(registry, projections);
  addHistory(registry, history);
  addComparisons(registry, comparisons);
  return async () => [await registry.metrics(), lagText(projections())].join('\n');
};

const addTotals = (registry: Registry, projections: () => readonly ProjectionStats[]): void => {
  const counter = (name: string, help: string, of: keyof Totals): void =>
    addCounter(registry, {
      name,
      help,
      labels: ['generation'],
      read: () => projections().map(({ generation, totals }) => [{ generation }, totals[of]]),
    });
  counter('waymark_projection_batches_total', 'Transactions on the read side.', 'batches');
  counter('waymark_projection_events_total', 'Events applied.', 'events');
  counter('waymark_projection_filled_total', 'Events applied that were read from the event log.', 'filled');
  counter('waymark_projection_skipped_total', 'Records that the read side had already.', 'skipped');
  counter(
    'waymark_projection_missed_total',
    'Records after a gap, left to be read from the event log together with what is missing.',
    'missed',
  );
  counter('waymark_projection_conflicts_total', 'Transactions that another writer was faster than.', 'conflicts');
  counter('waymark_projection_failures_total', 'Transactions that failed.', 'failures');
  counter('waymark_projection_scans_total', 'Reads of the event log for what partitions miss.', 'scans');
};

type Partition = ProjectionStats['partitions'][number];

type AddGauge = (name: string, help: string, value: (partition: Partition) => number) => void;

/** Returns a function that adds a gauge with a value for each partition of each generation. */
const gaugeOf =
  (registry: Registry, projections: () => readonly ProjectionStats[]): AddGauge =>
  (name, help, value) =>
    addGauge(registry, {
      name,
      help,
      labels: ['generation', 'partition'],
      read: () =>
        projections().flatMap(({ generation, partitions }) =>
          partitions.map((one) => [{ generation, partition: one.partition }, value(one)] as const),
        ),
    });

const addHistory = (registry: Registry, history: () => readonly ProjectionStats[]): void => {
  const gauge = gaugeOf(registry, history);
  gauge('waymark_history_position', 'Position that a partition of the history stands at.', ({ position }) => position);
  gauge(
    'waymark_history_lag_seconds',
    'Age of the oldest event that is known of and that the history does not have; 0 if it has all.',
    ({ lagSeconds }) => lagSeconds,
  );
};

const addPositions = (registry: Registry, projections: () => readonly ProjectionStats[]): void => {
  const gauge = gaugeOf(registry, projections);
  gauge('waymark_projection_position', 'Position that a partition of the read side stands at.', ({ position }) => position);
  gauge('waymark_projection_behind_positions', 'Positions behind the last record received.', ({ behind }) => behind);
  gauge('waymark_projection_age_seconds', 'Age of the oldest event that is known of and not applied.', ({ lagSeconds }) => lagSeconds);
  gauge('waymark_projection_standing', 'Whether a partition stands still because an event cannot be projected.', ({ blocked }) =>
    blocked ? 1 : 0,
  );
};

/** Adds the differences that rebuilds found. This metric should have an alarm. */
const addComparisons = (registry: Registry, comparisons: () => ReadonlyMap<string, Comparison>): void =>
  addGauge(registry, {
    name: 'waymark_projection_rebuild_differences',
    help: 'Rows that the generation before did not have as a rebuild made them from the log; 0 where it was equal, or could not be compared.',
    labels: ['generation', 'outcome'],
    read: () =>
      [...comparisons()].map(([generation, { outcome, different }]) => [{ generation, outcome: comparisonOutcomes[outcome] }, different]),
  });

const lagText = (projections: readonly ProjectionStats[]): string =>
  histogramText({
    name: 'waymark_projection_lag_seconds',
    help: "Seconds from an event's time to its commit in the read side.",
    bounds: lagBounds,
    series: new Map(projections.map(({ generation, lag }) => [`generation="${generation}"`, lag])),
  });
