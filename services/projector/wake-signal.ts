/** Wakes those who wait for something to happen. */
export type Bell = {
  readonly ring: () => void;
  /** Resolves at the next ring. */
  readonly rung: () => Promise<void>;
};

export const newBell = (): Bell => {
  let waiting: (() => void)[] = [];
  return {
    ring: () => {
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
    rung: () => new Promise((resolve) => waiting.push(resolve)),
  };
};
