// prom-client sorts and hashes the labels at each observation: more work than all of a small read's other steps together. These histograms
// only count; the text is made when a scraper asks.

/** Counts of one combination of labels. The last count is of all above the highest bound. */
export type Series = { readonly counts: number[]; sum: number };

export const createSeries = (bounds: readonly number[]): Series => ({ counts: new Array<number>(bounds.length + 1).fill(0), sum: 0 });

/** @param times how many observations it stands for */
export const observeIn = (series: Series, bounds: readonly number[], value: number, times = 1): void => {
  let bucket = 0;
  while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket += 1;
  series.counts[bucket] = (series.counts[bucket] as number) + times;
  series.sum += value * times;
};

export type Histogram = {
  readonly name: string;
  readonly help: string;
  /** Upper bounds of the buckets, rising. */
  readonly bounds: readonly number[];
  /** By labels as Prometheus writes them: `method="GET",status="200"`; empty where there are none. */
  readonly series: ReadonlyMap<string, Series>;
};

/** Prometheus' text format. */
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
