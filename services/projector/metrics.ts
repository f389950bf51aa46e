import { histogramText } from '@waymark/http/metrics/histogram.ts';
import type { Comparison } from './ports.ts';
import { comparisonOutcomes } from './responses.ts';
import { lagBounds, type ProjectionStats, type Totals } from './stats.ts';

/** Returns the metrics of the projections in the Prometheus text format. */
export const metricsText = (all: readonly ProjectionStats[], comparisons: ReadonlyMap<string, Comparison> = new Map()): string =>
  [
    counterText('waymark_projection_batches_total', 'Transactions on the read side.', all, ({ batches }) => batches),
    counterText('waymark_projection_events_total', 'Events applied.', all, ({ events }) => events),
    counterText('waymark_projection_filled_total', 'Events applied that were read from the event log.', all, ({ filled }) => filled),
    counterText('waymark_projection_skipped_total', 'Records that the read side had already.', all, ({ skipped }) => skipped),
    counterText(
      'waymark_projection_missed_total',
      'Records after a gap, left to be read from the event log together with what is missing.',
      all,
      ({ missed }) => missed,
    ),
    counterText(
      'waymark_projection_conflicts_total',
      'Transactions that another writer was faster than.',
      all,
      ({ conflicts }) => conflicts,
    ),
    counterText('waymark_projection_failures_total', 'Transactions that failed.', all, ({ failures }) => failures),
    counterText('waymark_projection_scans_total', 'Reads of the event log for what partitions miss.', all, ({ scans }) => scans),
    gaugeText('waymark_projection_position', 'Position that a partition of the read side stands at.', all, ({ position }) => position),
    gaugeText('waymark_projection_behind_positions', 'Positions behind the last record received.', all, ({ behind }) => behind),
    gaugeText(
      'waymark_projection_age_seconds',
      'Age of the oldest event that is known of and not applied.',
      all,
      ({ lagSeconds }) => lagSeconds,
    ),
    gaugeText(
      'waymark_projection_standing',
      'Whether a partition stands still because an event cannot be projected.',
      all,
      ({ blocked }) => (blocked ? 1 : 0),
    ),
    histogramText({
      name: 'waymark_projection_lag_seconds',
      help: "Seconds from an event's time to its commit in the read side.",
      bounds: lagBounds,
      series: new Map(all.map(({ generation, lag }) => [`generation="${generation}"`, lag])),
    }),
    comparisonsText(comparisons),
  ].join('\n');

/** Formats the differences that rebuilds found. This metric should have an alarm. */
const comparisonsText = (comparisons: ReadonlyMap<string, Comparison>): string => {
  const metric = 'waymark_projection_rebuild_differences';
  const lines = [...comparisons].map(
    ([generation, { outcome, different }]) => `${metric}{generation="${generation}",outcome="${comparisonOutcomes[outcome]}"} ${different}`,
  );
  const help =
    'Rows that the generation before did not have as a rebuild made them from the log; 0 where it was equal, or could not be compared.';
  return [`# HELP ${metric} ${help}`, `# TYPE ${metric} gauge`, ...lines, ''].join('\n');
};

const counterText = (metric: string, help: string, all: readonly ProjectionStats[], read: (totals: Readonly<Totals>) => number): string => {
  const lines = all.map(({ generation, totals }) => `${metric}{generation="${generation}"} ${read(totals)}`);
  return [`# HELP ${metric} ${help}`, `# TYPE ${metric} counter`, ...lines, ''].join('\n');
};

type Partition = ProjectionStats['partitions'][number];

const gaugeText = (metric: string, help: string, all: readonly ProjectionStats[], read: (partition: Partition) => number): string => {
  const lines = all.flatMap(({ generation, partitions }) =>
    partitions.map((one) => `${metric}{generation="${generation}",partition="${one.partition}"} ${read(one)}`),
  );
  return [`# HELP ${metric} ${help}`, `# TYPE ${metric} gauge`, ...lines, ''].join('\n');
};
