import { ask } from '../client.ts';
import type { Bucket } from '../statistics.ts';

/** Returns the lines of a process's /metrics.
 * @throws if the process does not answer */
const linesOf = async (operator: string): Promise<readonly string[]> => (await ask(`${operator}/metrics`)).body.split('\n');

const lastOf = (line: string): number => Number(line.slice(line.lastIndexOf(' ') + 1));

/** Returns the sum of a metric over all series that contain the text `label`, or 0 if there are none. */
export const scraped = async (operator: string, metric: string, label = ''): Promise<number> =>
  (await linesOf(operator))
    .filter((line) => (line.startsWith(`${metric}{`) || line.startsWith(`${metric} `)) && line.includes(label))
    .reduce((sum, line) => sum + lastOf(line), 0);

/** Returns a histogram, summed over all these processes and all series that do not contain the text `leftOut`. */
export const scrapedBuckets = async (operators: readonly string[], metric: string, leftOut: string): Promise<readonly Bucket[]> => {
  const counts = new Map<number, number>();
  for (const operator of operators)
    for (const line of await linesOf(operator)) {
      const most = line.startsWith(`${metric}_bucket{`) ? /le="([^"]+)"/.exec(line)?.[1] : undefined;
      if (most === undefined || line.includes(leftOut)) continue;
      const bound = most === '+Inf' ? Number.POSITIVE_INFINITY : Number(most);
      counts.set(bound, (counts.get(bound) ?? 0) + lastOf(line));
    }
  return [...counts].map(([most, count]) => ({ most, count })).toSorted((a, b) => a.most - b.most);
};
