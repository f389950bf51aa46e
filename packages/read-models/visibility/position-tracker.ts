import type { Announcement } from './announcements.ts';

/** Keeps the known positions of each generation in each partition: the highest of those announced and those that the read models returned. */
export type PositionTracker = {
  /** Returns the position that all generations that count have reached; -1 where it is not known of each, and where none counts. */
  readonly of: (partition: number) => number;
  /** Returns whether each generation that counts was announced in the partition within the last `withinMs`. */
  readonly wasAnnounced: (partition: number, withinMs: number) => boolean;
  readonly announced: (announcement: Announcement) => void;
  /** Records a position that the read models returned. Each of these generations has reached it at least. */
  readonly record: (generations: readonly string[], partition: number, position: number) => void;
};

type KnownPositions = { readonly positions: number[]; readonly announcedAtMs: number[] };

/** `awaited` returns the names of the generations that count now. The positions of a generation that no longer counts are discarded. */
export const createPositionTracker = (partitions: number, awaited: () => readonly string[]): PositionTracker => {
  const known = new Map<string, KnownPositions>();

  const raise = (generation: string, partition: number, position: number): KnownPositions => {
    const one = known.get(generation) ?? nothingKnown(partitions);
    one.positions[partition] = Math.max(one.positions[partition] ?? -1, position);
    known.set(generation, one);
    return one;
  };

  const forgetOthers = (names: readonly string[]): void => {
    for (const name of known.keys()) if (!names.includes(name)) known.delete(name);
  };

  return {
    of: (partition) => {
      const names = awaited();
      forgetOthers(names);
      return names.length === 0 ? -1 : Math.min(...names.map((name) => known.get(name)?.positions[partition] ?? -1));
    },
    wasAnnounced: (partition, withinMs) => {
      const names = awaited();
      const sinceMs = performance.now() - withinMs;
      const isHeard = (name: string): boolean => (known.get(name)?.announcedAtMs[partition] ?? Number.NEGATIVE_INFINITY) > sinceMs;
      return names.length > 0 && names.every(isHeard);
    },
    announced: ({ generation, partition, position }) => {
      if (partition < 0 || partition >= partitions) return;
      if (awaited().includes(generation)) raise(generation, partition, position).announcedAtMs[partition] = performance.now();
    },
    record: (generations, partition, position) => {
      for (const generation of generations) raise(generation, partition, position);
    },
  };
};

const nothingKnown = (partitions: number): KnownPositions => ({
  positions: Array.from({ length: partitions }, () => -1),
  announcedAtMs: Array.from({ length: partitions }, () => Number.NEGATIVE_INFINITY),
});
