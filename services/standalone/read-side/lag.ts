import { createSeries, observeIn, type Series } from '@waymark/http/metrics/histogram.ts';

/** Upper bounds of the buckets of the projection lag, in seconds. */
export const lagBounds = [0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.05, 0.25, 1, 5] as const;

/** Creates a histogram of the time from the commit of an event in the log to its commit in the read models. */
export const lagHistogram = () => {
  const series = createSeries(lagBounds);
  return {
    add: (seconds: number, events: number): void => observeIn(series, lagBounds, seconds, events),
    /** Returns the counts that the thread of the projector sends to the metrics. */
    snapshot: (): Series => series,
  };
};
