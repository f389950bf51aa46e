import { withDeadline } from './deadline.ts';

/** A position that rises, and the callers that wait for it. */
export type Progress = {
  readonly at: () => number;
  /** Moves the position, to a lower one only where it begins again with another log. */
  readonly move: (position: number) => void;
  /** Waits until the position is reached. Returns whether it was in time. */
  readonly reached: (position: number, withinMs: number) => Promise<boolean>;
};

export const createProgress = (): Progress => {
  const waiting = new Set<{ readonly position: number; readonly resolve: (reached: true) => void }>();
  let at = -1;
  return {
    at: () => at,
    move: (position) => {
      at = position;
      for (const one of waiting) if (one.position <= at) one.resolve(true);
    },
    reached: async (position, withinMs) => {
      if (position <= at) return true;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const one = { position, resolve };
      waiting.add(one);
      return withDeadline(withinMs, promise, () => false).finally(() => waiting.delete(one));
    },
  };
};
