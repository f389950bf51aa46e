import type { ProjectorFiguresResponse } from '@waymark/cluster-runtime/figures-response.ts';
import type { Comparison } from './ports.ts';
import type { ProjectionStats } from './stats.ts';

/** The values of the label and log field `outcome`, as they are sent. */
export const comparisonOutcomes: Readonly<Record<Comparison['outcome'], string>> = {
  equal: 'equal',
  different: 'different',
  undecided: 'undecided',
};

export const figuresResponse = (all: readonly ProjectionStats[]): ProjectorFiguresResponse => ({
  projections: all.map(({ generation, partitions, totals, lag }) => ({
    generation,
    partitions: partitions.map((one) => ({
      partition: one.partition,
      position: one.position,
      behind: one.behind,
      lagSeconds: one.lagSeconds,
      standing: one.blocked,
    })),
    totals: {
      batches: totals.batches,
      events: totals.events,
      filled: totals.filled,
      skipped: totals.skipped,
      missed: totals.missed,
      conflicts: totals.conflicts,
      failures: totals.failures,
      scans: totals.scans,
    },
    lag: { counts: lag.counts, sum: lag.sum },
  })),
});
