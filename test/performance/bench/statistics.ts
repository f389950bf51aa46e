export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Returns a quantile, interpolated linearly between neighbours. It is NaN if there are no values. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(place)] ?? Number.NaN, sorted[Math.ceil(place)] ?? Number.NaN];
  return below + (above - below) * (place % 1);
};

export type Bucket = { readonly most: number; readonly count: number };

/** Returns a quantile of a histogram, interpolated linearly within a bucket. Buckets are cumulative and ascending, and the last one's
 * `most` is Infinity. */
export const bucketQuantile = (buckets: readonly Bucket[], share: number): number => {
  const rank = (buckets.at(-1)?.count ?? 0) * share;
  const index = buckets.findIndex((bucket) => bucket.count >= rank);
  const bucket = buckets[index];
  const before = buckets[index - 1] ?? { most: 0, count: 0 };
  if (bucket === undefined || bucket.count === 0) return Number.NaN;
  if (bucket.most === Number.POSITIVE_INFINITY) return bucket.most;
  return before.most + ((bucket.most - before.most) * (rank - before.count)) / (bucket.count - before.count);
};
