import { grows, growthOf, settledSamples } from './growth.ts';
import { soakLimits } from './limits.ts';
import type { Sample, Samples } from './sampling.ts';

/** What a process held around the absence of an engine. */
export type Away = {
  readonly engine: string;
  readonly name: string;
  readonly beforeBytes: number;
  readonly mostBytes: number;
  readonly afterBytes: number;
};

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

/** Each process under the steady load: the time after the caches were filled. */
export const steadyTable = (samples: Samples): string =>
  [
    line(['process', 'held at first, MB', 'at the end', 'a minute', 'resident at first, MB', 'at the end', 'a minute', '']),
    '|---|---|---|---|---|---|---|---|',
    ...[...samples].map(([name, all]) => steadyLine(name, settledSamples(all))),
  ].join('\n');

const steadyLine = (name: string, samples: readonly Sample[]): string => {
  const cells = (['heldBytes', 'residentBytes'] as const).flatMap((what) => {
    const { startBytes, endBytes, bytesPerMinute } = growthOf(samples, what);
    return [startBytes, endBytes, bytesPerMinute].map(megabytes);
  });
  return line([name, ...cells, grows(samples) ? '✗ grows' : '✓']);
};

/** Whether queues that filled while an engine was away stayed within bounds, and were given up. */
export const isBounded = ({ beforeBytes, mostBytes, afterBytes }: Away): boolean =>
  mostBytes - beforeBytes <= soakLimits.awayGrowthBytes && afterBytes - beforeBytes <= soakLimits.backGrowthBytes;

export const awayTable = (aways: readonly Away[]): string =>
  [
    line(['engine away', 'process', 'held before, MB', 'at most', 'after', '']),
    '|---|---|---|---|---|---|',
    ...aways.map((away) => {
      const { engine, name, beforeBytes, mostBytes, afterBytes } = away;
      return line([engine, name, ...[beforeBytes, mostBytes, afterBytes].map(megabytes), isBounded(away) ? '✓' : '✗ grows']);
    }),
  ].join('\n');
