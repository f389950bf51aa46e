import { createSeries, observeIn, type Series } from '@waymark/http/metrics/histogram.ts';

/** Upper bounds of the projection lag's buckets, in seconds. */
export const lagBounds = [0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.05, 0.25, 1, 5] as const;

/** How long events waited between the log's commit and the read side's. */
export const lagHistogram = () => {
  const series = createSeries(lagBounds);
  return {
    add: (seconds: number, events: number): void => observeIn(series, lagBounds, seconds, events),
    /** What crosses from the projector's thread to the metrics. */
    snapshot: (): Series => series,
  };
};
