import type { RecordedEvent } from '@waymark/domain/event.ts';
import { createSeries, observeIn, type Series } from '@waymark/http/metrics/histogram.ts';
import type { PartitionState, Plan } from './partitions/partition-state.ts';

/** The upper bounds of the buckets of the projection lag, in seconds. */
export const lagBounds = [0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 300] as const;

/** What a projection has done since it started. */
export type Totals = {
  batches: number;
  events: number;
  /** Applied events that were read from the log. */
  filled: number;
  /** Records that were applied before. */
  skipped: number;
  /** Records that came after a gap, and were left to the log together with the missing events. */
  missed: number;
  /** Transactions that lost against another writer. */
  conflicts: number;
  /** Transactions that failed. */
  failures: number;
  /** Reads of the log, each for all partitions that miss events. */
  scans: number;
};

export type PartitionStats = {
  readonly partition: number;
  readonly position: number;
  /** The number of positions behind the last record that was received. */
  readonly behind: number;
  /** Seconds since the time of the oldest event that is known and not applied; 0 if there is none. */
  readonly lagSeconds: number;
  /** Why the partition is blocked. */
  readonly blocked: string | undefined;
};

export type ProjectionStats = {
  readonly generation: string;
  readonly partitions: readonly PartitionStats[];
  readonly totals: Readonly<Totals>;
  /** Seconds from the time of an event to its commit in the read models, for events that came as records. */
  readonly lag: Series;
};

export type ProjectorStats = {
  readonly totals: Totals;
  readonly lag: Series;
  /** @returns the number of milliseconds that the time of an event is ahead of `nowMs` at most; below 0 where none is */
  readonly applied: (plan: Plan, nowMs: number) => number;
};

export const createStats = (): ProjectorStats => {
  const totals: Totals = { batches: 0, events: 0, filled: 0, skipped: 0, missed: 0, conflicts: 0, failures: 0, scans: 0 };
  const lag = createSeries(lagBounds);
  return {
    totals,
    lag,
    applied: ({ taken }, nowMs) => {
      let aheadMs = Number.NEGATIVE_INFINITY;
      for (const { record, isFromLog, verdict } of taken) {
        if (verdict === 'gap') totals.missed += 1;
        else if (verdict === 'duplicate') totals.skipped += isFromLog ? 0 : 1;
        else if (record.event !== null) {
          const lagMs = nowMs - Date.parse(record.event.envelope.time);
          aheadMs = Math.max(aheadMs, -lagMs);
          totals.events += 1;
          if (isFromLog) totals.filled += 1;
          else observeIn(lag, lagBounds, Math.max(0, lagMs) / 1000);
        }
      }
      return aheadMs;
    },
  };
};

export const partitionStats = (
  { partition, reached, receivedUpTo, waiting, blocked, missingSinceMs }: PartitionState,
  nowMs: number,
): PartitionStats => {
  const position = reached?.position ?? 0;
  const next = firstEvent(waiting);
  const oldestMs = missingSinceMs ?? (next ? Date.parse(next.envelope.time) : nowMs);
  return {
    partition,
    position,
    behind: Math.max(0, receivedUpTo - position),
    lagSeconds: Math.max(0, nowMs - oldestMs) / 1000,
    blocked: blocked?.error.message,
  };
};

/** Returns the first event that waits to be applied. */
const firstEvent = (waiting: PartitionState['waiting']): RecordedEvent | undefined => {
  for (const { records, planned } of waiting) {
    for (let nth = planned; nth < records.length; nth += 1) {
      const event = records[nth]?.event;
      if (event) return event;
    }
  }
  return undefined;
};
