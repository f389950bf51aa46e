/** Random choices that a seed reproduces. */
export type Random = {
  /** Returns a number from 0 to below 1. */
  readonly next: () => number;
  /** Returns a whole number from 0 to below `below`. */
  readonly below: (below: number) => number;
  readonly chance: (probability: number) => boolean;
  /** Returns one of the items, or undefined if there are none. */
  readonly pick: <Item>(items: readonly Item[]) => Item | undefined;
};

/** Creates a Mulberry32 generator. */
export const randomFrom = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { next, below, chance: (probability) => next() < probability, pick: (items) => items[below(items.length)] };
};

/** Runs `work` with random choices from the seed WAYMARK_SEED, or from a new seed. The error of a failure names the seed, which may
 * reproduce it. */
export const seededRun = async (work: (random: Random) => Promise<void>): Promise<void> => {
  const seed = Number(process.env['WAYMARK_SEED'] ?? Math.floor(Math.random() * 2 ** 32));
  try {
    await work(randomFrom(seed));
  } catch (error) {
    throw new Error(`WAYMARK_SEED=${seed}: ${(error as Error).message}`, { cause: error });
  }
};
