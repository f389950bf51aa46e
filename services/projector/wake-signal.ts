/** Wakes all callers that wait for a signal. */
export type WakeSignal = {
  readonly ring: () => void;
  /** Resolves at the next signal. */
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
