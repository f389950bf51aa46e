/** Wakes all callers that wait for a signal. */
export type WakeSignal = {
  readonly wake: () => void;
  /** Resolves at the next signal. */
  readonly next: () => Promise<void>;
};

export const createWakeSignal = (): WakeSignal => {
  let waiting: (() => void)[] = [];
  return {
    wake: () => {
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
    next: () => new Promise((resolve) => waiting.push(resolve)),
  };
};
