import { setTimeout as pause } from 'node:timers/promises';
import { clusterLimits } from './limits.ts';

/** Measures how fast a count rises, in units per second, from its first change until it has risen by `more`. The time before the first
 * change does not count.
 * @throws if the count does not rise that far in time */
export const measureRate = async (count: () => Promise<number>, from: number, more: number): Promise<number> => {
  const deadlineMs = performance.now() + clusterLimits.caughtUpMs;
  let first: { readonly count: number; readonly atMs: number } | undefined;
  for (;;) {
    const atMs = performance.now();
    const now = await count();
    if (first === undefined && now > from) first = { count: now, atMs };
    if (first && now >= from + more) return (now - first.count) / ((atMs - first.atMs) / 1_000);
    if (atMs > deadlineMs) throw new Error(`the count rose by ${now - from} of ${more} within ${clusterLimits.caughtUpMs} ms`);
    await pause(clusterLimits.pollEveryMs);
  }
};

/** Waits until a count has reached `least`. */
export const waitForCount = async (
  count: () => Promise<number>,
  least: number,
  withinMs: number = clusterLimits.caughtUpMs,
): Promise<void> => {
  const deadlineMs = performance.now() + withinMs;
  for (let now = await count(); now < least; now = await count()) {
    if (performance.now() > deadlineMs) throw new Error(`the count reached ${now} instead of ${least} within ${withinMs} ms`);
    await pause(clusterLimits.pollEveryMs);
  }
};
