/** Wakes those who wait for something to happen. */
export type WakeSignal = {
  readonly ring: () => void;
  /** Resolves at the next ring. */
  readonly rung: () => Promise<void>;
};

export const createWakeSignal = (): WakeSignal => {
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
