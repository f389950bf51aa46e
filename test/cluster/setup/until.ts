import { setTimeout as pause } from 'node:timers/promises';

/** Most checks query all processes of a cluster, which have other work to do. */
const pollEveryMs = 150;

/** Waits until a condition holds. A check that throws counts as false.
 * @returns the elapsed time, in milliseconds
 * @throws if the condition does not hold in time */
export const until = async (what: string, withinMs: number, holds: () => boolean | Promise<boolean>): Promise<number> => {
  const startedMs = performance.now();
  for (;;) {
    let failure: unknown;
    try {
      if (await holds()) return performance.now() - startedMs;
    } catch (error) {
      failure = error;
    }
    if (performance.now() - startedMs > withinMs) throw new Error(`Not fulfilled within ${withinMs} ms: ${what}`, { cause: failure });
    await pause(pollEveryMs);
  }
};
