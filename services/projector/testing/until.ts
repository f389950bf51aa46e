import { setTimeout as pause } from 'node:timers/promises';

/** Waits until a condition holds. The error names the condition.
 * @throws if the condition does not hold within `boundMs` */
export const waitUntil = async (what: string, holds: () => boolean | Promise<boolean>, boundMs = 20_000): Promise<void> => {
  for (const endMs = performance.now() + boundMs; !(await holds()); await pause(5)) {
    if (performance.now() > endMs) throw new Error(`Not fulfilled after ${boundMs} ms: ${what}`);
  }
};
