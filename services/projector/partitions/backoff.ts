import { setTimeout as wait } from 'node:timers/promises';
import { pauseFirstMs, pauseLastMs } from '../limits.ts';

/** Pauses between failed attempts. Each pause is longer than the one before; a success resets them. */
export type Backoff = {
  /** Waits for the next pause. Ends early when the signal aborts. */
  readonly pause: () => Promise<void>;
  readonly reset: () => void;
};

export const createBackoff = (signal: AbortSignal): Backoff => {
  let nextMs = pauseFirstMs;
  return {
    pause: async () => {
      const ms = nextMs;
      nextMs = Math.min(nextMs * 2, pauseLastMs);
      await wait(ms * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
    },
    reset: () => {
      nextMs = pauseFirstMs;
    },
  };
};
