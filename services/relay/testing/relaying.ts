import { setTimeout as pause } from 'node:timers/promises';
import type { Paces } from '../ports.ts';

export const silent = { info: () => {}, warn: () => {} };
/** With these intervals no relay takes over without the lease. */
export const quick: Paces = {
  restMs: 1,
  watermarkMs: 3,
  standbyMs: 1,
  tailEveryMs: 5,
  silentMs: 60_000,
  takeoverMs: 60_000,
  silentAgainMs: 60_000,
  failurePauses: { firstMs: 1, lastMs: 4 },
};

/** Waits until a condition holds, with a time limit that suits a busy machine. */
export const until = async (holds: () => boolean | Promise<boolean>, withinMs = 30_000): Promise<void> => {
  const end = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Timed out waiting for: ${String(holds)}`);
    await pause(2);
  }
};
