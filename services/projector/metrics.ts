import { histogramText } from '@waymark/http/histogram.ts';
import { lagBounds, type ProjectionFigures, type Totals } from './figures.ts';
import type { Comparison } from './ports.ts';

const counters: Record<keyof Totals, string> = {
  batches: 'Transactions on the read side.',
  events: 'Events applied.',
  filled: 'Events applied that were read from the event log.',
  skipped: 'Records that the read side had already.',
  missed: 'Records after a gap, left to be read from the event log together with what is missing.',
  conflicts: 'Transactions that another writer was faster than.',
  failures: 'Transactions that failed.',
  scans: 'Reads of the event log for what partitions miss.',
};

/** Prometheus' text of what the projections do. */
export const metricsText = (all: readonly ProjectionFigures[], comparisons: ReadonlyMap<string, Comparison> = new Map()): string =>
  [
    ...(Object.keys(counters) as (keyof Totals)[]).map((name) => counterText(name, all)),
    gaugeText('position', 'Position that a partition of the read side stands at.', all, ({ position }) => position),
    gaugeText('behind_positions', 'Positions behind the last record received.', all, ({ behind }) => behind),
    gaugeText('age_seconds', 'Age of the oldest event that is known of and not applied.', all, ({ lagSeconds }) => lagSeconds),
    gaugeText('standing', 'Whether a partition stands still because an event cannot be projected.', all, ({ standing }) =>
      standing ? 1 : 0,
    ),
    histogramText({
      name: 'waymark_projection_lag_seconds',
      help: "Seconds from an event's time to its commit in the read side.",
      bounds: lagBounds,
      series: new Map(all.map(({ generation, lag }) => [`generation="${generation}"`, lag])),
    }),
    comparisonsText(comparisons),
  ].join('\n');

/** An alarm belongs on it. */
const comparisonsText = (comparisons: ReadonlyMap<string, Comparison>): string => {
  const metric = 'waymark_projection_rebuild_differences';
  const lines = [...comparisons].map(
    ([generation, { outcome, different }]) => `${metric}{generation="${generation}",outcome="${outcome}"} ${different}`,
  );
  const help =
    'Rows that the generation before did not have as a rebuild made them from the log; 0 where it was equal, or could not be compared.';
  return [`# HELP ${metric} ${help}`, `# TYPE ${metric} gauge`, ...lines, ''].join('\n');
};

const counterText = (name: keyof Totals, all: readonly ProjectionFigures[]): string => {
  const metric = `waymark_projection_${name}_total`;
  const lines = all.map(({ generation, totals }) => `${metric}{generation="${generation}"} ${totals[name]}`);
  return [`# HELP ${metric} ${counters[name]}`, `# TYPE ${metric} counter`, ...lines, ''].join('\n');
};

type Partition = ProjectionFigures['partitions'][number];

const gaugeText = (name: string, help: string, all: readonly ProjectionFigures[], read: (partition: Partition) => number): string => {
  const metric = `waymark_projection_${name}`;
  const lines = all.flatMap(({ generation, partitions }) =>
    partitions.map((one) => `${metric}{generation="${generation}",partition="${one.partition}"} ${read(one)}`),
  );
  return [`# HELP ${metric} ${help}`, `# TYPE ${metric} gauge`, ...lines, ''].join('\n');
};
