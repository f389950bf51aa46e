import { setTimeout as sleep } from 'node:timers/promises';

/** The pauses between failed attempts: the first one, which is doubled up to the last one. */
export type BackOffLimits = {
  readonly firstMs: number;
  readonly lastMs: number;
  /** The part of a pause that is random, from 0 to 1; without it, none. So processes that fail together do not retry together. */
  readonly jitter?: number;
};

/** Returns the pause after a number of earlier pauses, in milliseconds. */
export const pauseMs = ({ firstMs, lastMs, jitter = 0 }: BackOffLimits, pauses: number): number =>
  Math.min(lastMs, firstMs * 2 ** Math.min(pauses, doublingsMax)) * (1 - jitter * Math.random());

const doublingsMax = 30;

/** The pauses of one loop. */
export type BackOff = {
  /** Waits for the next pause. Ends early when the signal aborts. */
  readonly pause: () => Promise<void>;
  /** Makes the next pause the first one again, after a success. */
  readonly reset: () => void;
};

export const createBackOff = (limits: BackOffLimits, signal: AbortSignal): BackOff => {
  let pauses = 0;
  return {
    pause: async () => {
      const ms = pauseMs(limits, pauses);
      pauses += 1;
      await sleep(ms, undefined, { signal }).catch(() => undefined);
    },
    reset: () => {
      pauses = 0;
    },
  };
};
