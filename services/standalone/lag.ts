/** Upper bounds of the projection lag's buckets, in seconds. */
export const lagBuckets = [0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.05, 0.25, 1, 5] as const;

/** Counts per bucket, the last one for all above; what crosses from the projector's thread to the metrics. */
export type LagSnapshot = { readonly counts: readonly number[]; readonly sum: number };

/** How long events waited between the log's commit and the read side's. */
export const lagHistogram = () => {
  const counts = new Array<number>(lagBuckets.length + 1).fill(0);
  let sum = 0;
  return {
    add: (seconds: number, events: number): void => {
      const bucket = lagBuckets.findIndex((bound) => seconds <= bound);
      const index = bucket < 0 ? lagBuckets.length : bucket;
      counts[index] = (counts[index] ?? 0) + events;
      sum += seconds * events;
    },
    snapshot: (): LagSnapshot => ({ counts: [...counts], sum }),
  };
};
