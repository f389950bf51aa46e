import { setTimeout as pause } from 'node:timers/promises';

/** Waits until something holds; tells what did not. */
export const waitUntil = async (what: string, holds: () => boolean | Promise<boolean>, boundMs = 20_000): Promise<void> => {
  for (const endMs = performance.now() + boundMs; !(await holds()); await pause(5)) {
    if (performance.now() > endMs) throw new Error(`After ${boundMs} ms still not: ${what}`);
  }
};
