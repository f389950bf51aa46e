import { setTimeout as pause } from 'node:timers/promises';

/** Most looks ask all processes of a cluster, which have other work. */
const lookEveryMs = 150;

/** Waits until something holds; a failed look counts as no. @returns how long it took, in milliseconds @throws where it does not in time */
export const until = async (what: string, withinMs: number, holds: () => boolean | Promise<boolean>): Promise<number> => {
  const begunMs = performance.now();
  for (;;) {
    let failure: unknown;
    try {
      if (await holds()) return performance.now() - begunMs;
    } catch (error) {
      failure = error;
    }
    if (performance.now() - begunMs > withinMs) throw new Error(`Not within ${withinMs} ms: ${what}`, { cause: failure });
    await pause(lookEveryMs);
  }
};
