import { setTimeout as pause } from 'node:timers/promises';
import { clusterLimits } from './limits.ts';

/** Begins something so many times a second, whether what was begun before has ended or not. */
export type Pace = {
  readonly perSecond: number;
  /** Until then it goes on. */
  readonly until: () => boolean;
  readonly work: () => Promise<void>;
};

/** @returns once all that was begun has ended @throws what the first that failed threw; an error where the rate cannot be held */
export const paced = async ({ perSecond, until, work }: Pace): Promise<void> => {
  const startedMs = performance.now();
  const underWay = new Set<Promise<void>>();
  let begun = 0;
  let failure: Error | undefined;
  while (!until() && failure === undefined) {
    const due = Math.floor(((performance.now() - startedMs) / 1_000) * perSecond);
    for (; begun < due; begun += 1) {
      const one: Promise<void> = work()
        .catch((error: unknown) => {
          failure ??= error instanceof Error ? error : new Error(String(error));
        })
        .finally(() => underWay.delete(one));
      underWay.add(one);
    }
    if (underWay.size > clusterLimits.underWayMax) failure ??= new Error(`${perSecond}/s cannot be held: ${underWay.size} are under way.`);
    await pause(1);
  }
  await Promise.all(underWay);
  if (failure !== undefined) throw failure;
};

/** True from so many seconds after now on. */
export const after = (seconds: number): (() => boolean) => {
  const endMs = performance.now() + seconds * 1_000;
  return () => performance.now() >= endMs;
};
