import { setTimeout as pause } from 'node:timers/promises';
import { clusterLimits } from './limits.ts';

/** Work that starts `perSecond` times a second, whether earlier work has ended or not. */
export type Pace = {
  readonly perSecond: number;
  /** The work continues until this returns true. */
  readonly until: () => boolean;
  readonly work: () => Promise<void>;
};

/** Starts work at a fixed rate.
 * @returns once all started work has ended
 * @throws the first error of the work, or an error if the rate cannot be held */
export const paced = async ({ perSecond, until, work }: Pace): Promise<void> => {
  const startedMs = performance.now();
  const inProgress = new Set<Promise<void>>();
  let begun = 0;
  let failure: Error | undefined;
  while (!until() && failure === undefined) {
    const due = Math.floor(((performance.now() - startedMs) / 1_000) * perSecond);
    for (; begun < due; begun += 1) {
      const one: Promise<void> = work()
        .catch((error: unknown) => {
          failure ??= error instanceof Error ? error : new Error(String(error));
        })
        .finally(() => inProgress.delete(one));
      inProgress.add(one);
    }
    if (inProgress.size > clusterLimits.underWayMax)
      failure ??= new Error(`${perSecond}/s cannot be held: ${inProgress.size} operations are in progress.`);
    await pause(1);
  }
  await Promise.all(inProgress);
  if (failure !== undefined) throw failure;
};

/** Returns a function that returns true once `seconds` have passed. */
export const after = (seconds: number): (() => boolean) => {
  const endMs = performance.now() + seconds * 1_000;
  return () => performance.now() >= endMs;
};
