import { soakLimits } from './limits.ts';
import type { Sample } from './sampling.ts';

export type Growth = {
  readonly startBytes: number;
  readonly endBytes: number;
  readonly bytesPerMinute: number;
};

/** Fits a straight line to all samples of a value. */
export const growthOf = (samples: readonly Sample[], what: 'heldBytes' | 'residentBytes'): Growth => {
  const minutes = samples.map(({ atMs }) => (atMs - (samples[0]?.atMs ?? 0)) / 60_000);
  const bytes = samples.map((sample) => sample[what]);
  const [meanMinutes, meanBytes] = [mean(minutes), mean(bytes)];
  const spread = minutes.reduce((sum, one) => sum + (one - meanMinutes) ** 2, 0);
  const both = minutes.reduce((sum, one, index) => sum + (one - meanMinutes) * ((bytes[index] ?? 0) - meanBytes), 0);
  const bytesPerMinute = spread === 0 ? 0 : both / spread;
  const last = minutes.at(-1) ?? 0;
  return {
    startBytes: meanBytes - bytesPerMinute * meanMinutes,
    endBytes: meanBytes + bytesPerMinute * (last - meanMinutes),
    bytesPerMinute,
  };
};

const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;

/** Returns whether the memory of a process grows permanently, according to the limits. */
export const grows = (samples: readonly Sample[]): boolean => {
  const held = growthOf(samples, 'heldBytes');
  const resident = growthOf(samples, 'residentBytes');
  const { heldBytesPerMinute, heldGrowthBytes, residentBytesPerMinute, residentGrowthBytes } = soakLimits;
  return (
    (held.bytesPerMinute > heldBytesPerMinute && held.endBytes - held.startBytes > heldGrowthBytes) ||
    (resident.bytesPerMinute > residentBytesPerMinute && resident.endBytes - resident.startBytes > residentGrowthBytes)
  );
};

/** Returns the samples without the time in which caches fill. */
export const settledSamples = (samples: readonly Sample[]): readonly Sample[] =>
  samples.slice(Math.floor(samples.length * soakLimits.warmUpShare));
