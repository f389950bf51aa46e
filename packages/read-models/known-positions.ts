import type { Announcement } from './announcements.ts';

/** What is known of how far each generation stands in each partition: the highest of what was announced and of what the read side said. */
export type KnownPositions = {
  /** How far all the generations that count stand; -1 where that is not known of each, and where none counts. */
  readonly of: (partition: number) => number;
  readonly announced: (announcement: Announcement) => void;
  /** The read side said it of these generations at least. */
  readonly told: (generations: readonly string[], partition: number, position: number) => void;
};

/** `waited`: names of the generations that count, by now. What is known of one that counts no more is forgotten. */
export const knownPositions = (partitions: number, waited: () => readonly string[]): KnownPositions => {
  const known = new Map<string, number[]>();

  const raise = (generation: string, partition: number, position: number): void => {
    const positions = known.get(generation) ?? Array.from({ length: partitions }, () => -1);
    positions[partition] = Math.max(positions[partition] ?? -1, position);
    known.set(generation, positions);
  };

  const forgetOthers = (names: readonly string[]): void => {
    for (const name of known.keys()) if (!names.includes(name)) known.delete(name);
  };

  return {
    of: (partition) => {
      const names = waited();
      forgetOthers(names);
      return names.length === 0 ? -1 : Math.min(...names.map((name) => known.get(name)?.[partition] ?? -1));
    },
    announced: ({ generation, partition, position }) => {
      if (partition < 0 || partition >= partitions) return;
      if (waited().includes(generation)) raise(generation, partition, position);
    },
    told: (generations, partition, position) => {
      for (const generation of generations) raise(generation, partition, position);
    },
  };
};
