import { grows, growthOf, settledSamples } from './growth.ts';
import { soakLimits } from './limits.ts';
import type { Sample, Samples } from './sampling.ts';

/** The memory of a process before, during and after an engine was unavailable. */
export type Outage = {
  readonly engine: string;
  readonly name: string;
  readonly beforeBytes: number;
  readonly mostBytes: number;
  readonly afterBytes: number;
};

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

/** Formats the memory of each process under the steady load, after the caches have filled. */
export const steadyTable = (samples: Samples): string =>
  [
    line(['process', 'held at the start, MB', 'at the end', 'a minute', 'resident at the start, MB', 'at the end', 'a minute', '']),
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

/** Returns whether queues that filled while an engine was unavailable stayed within bounds, and were emptied afterwards. */
export const isBounded = ({ beforeBytes, mostBytes, afterBytes }: Outage): boolean =>
  mostBytes - beforeBytes <= soakLimits.unavailableGrowthBytes && afterBytes - beforeBytes <= soakLimits.backGrowthBytes;

export const outageTable = (aways: readonly Outage[]): string =>
  [
    line(['engine unavailable', 'process', 'held before, MB', 'at most', 'after', '']),
    '|---|---|---|---|---|---|',
    ...aways.map((unavailable) => {
      const { engine, name, beforeBytes, mostBytes, afterBytes } = unavailable;
      return line([engine, name, ...[beforeBytes, mostBytes, afterBytes].map(megabytes), isBounded(unavailable) ? '✓' : '✗ grows']);
    }),
  ].join('\n');
