/** The works of one key that may wait for their turn, and the error of a further one. */
export type WaitingLimit = { readonly max: number; readonly tooMany: () => Error };

/** Runs a work of a key when it is its turn.
 * @throws if too many works of the key wait; otherwise what the work throws */
export type TurnsByKey = <Value>(key: string, work: () => Promise<Value>) => Promise<Value>;

/** Lets the works of each key take turns, so that the works of another key do not wait behind all of them.
 * @param atOnceMax the works of one key that are in progress at once
 * @param limit left out where the caller limits the works of a key */
export const createTurnsByKey = (atOnceMax: number, limit?: WaitingLimit): TurnsByKey => {
  type Works = { inProgress: number; readonly waiting: (() => void)[] };
  const keys = new Map<string, Works>();

  const enter = async (key: string): Promise<Works> => {
    const works = keys.get(key) ?? { inProgress: 0, waiting: [] };
    if (works.inProgress < atOnceMax) {
      works.inProgress += 1;
      keys.set(key, works);
    } else {
      if (limit !== undefined && works.waiting.length >= limit.max) throw limit.tooMany();
      await new Promise<void>((resolve) => works.waiting.push(resolve));
    }
    return works;
  };
  const leave = (key: string, works: Works): void => {
    const next = works.waiting.shift();
    // The works of other keys that have arrived meanwhile begin before it.
    if (next !== undefined) setImmediate(next);
    else {
      works.inProgress -= 1;
      if (works.inProgress === 0) keys.delete(key);
    }
  };
  return async (key, work) => {
    const works = await enter(key);
    try {
      return await work();
    } finally {
      leave(key, works);
    }
  };
};
