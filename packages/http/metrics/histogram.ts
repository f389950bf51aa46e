// prom-client sorts and hashes the labels at each observation. That takes more time than all other steps of a small read together. These
// histograms only count; the text is built when a scraper requests it.

/** Counts for one combination of labels. The last count is for values above the highest bound. */
export type Series = { readonly counts: number[]; sum: number };

export const createSeries = (bounds: readonly number[]): Series => ({ counts: new Array<number>(bounds.length + 1).fill(0), sum: 0 });

/** Adds an observation to a series.
 * @param times the number of observations that it stands for */
export const observeIn = (series: Series, bounds: readonly number[], value: number, times = 1): void => {
  let bucket = 0;
  while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket += 1;
  series.counts[bucket] = (series.counts[bucket] as number) + times;
  series.sum += value * times;
};

/** Returns the sum of series with the same bounds; at least one. */
export const sumOf = ([first, ...others]: readonly Series[]): Series =>
  others.reduce(
    (sum, { counts, sum: seconds }) => ({ counts: sum.counts.map((count, place) => count + (counts[place] ?? 0)), sum: sum.sum + seconds }),
    first as Series,
  );

/** Returns the sums of series by their labels. */
export const sumsOf = (all: readonly ReadonlyMap<string, Series>[]): ReadonlyMap<string, Series> => {
  const sums = new Map<string, Series>();
  for (const [labels, series] of all.flatMap((each) => [...each])) {
    const sum = sums.get(labels);
    sums.set(labels, sum === undefined ? series : sumOf([sum, series]));
  }
  return sums;
};

export type Histogram = {
  readonly name: string;
  readonly help: string;
  /** Upper bounds of the buckets, in ascending order. */
  readonly bounds: readonly number[];
  /** Series by labels in the Prometheus format: `method="GET",status="200"`. The key is empty if there are no labels. */
  readonly series: ReadonlyMap<string, Series>;
};

/** Returns the histogram in the Prometheus text format. */
export const histogramText = ({ name, help, bounds, series }: Histogram): string => {
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
  for (const [labels, { counts, sum }] of series) {
    const rest = labels === '' ? '' : `{${labels}}`;
    let total = 0;
    for (const [index, count] of counts.entries()) {
      total += count;
      lines.push(`${name}_bucket{${labels}${labels && ','}le="${bounds[index] ?? '+Inf'}"} ${total}`);
    }
    lines.push(`${name}_sum${rest} ${sum}`, `${name}_count${rest} ${total}`);
  }
  return `${lines.join('\n')}\n`;
};
