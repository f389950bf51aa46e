import { setTimeout as pause } from 'node:timers/promises';

const withinMs = 120_000;

/** Waits until a condition holds.
 * @throws if the condition does not hold in time */
export const until = async (holds: () => boolean | Promise<boolean>, pollEveryMs = 20): Promise<void> => {
  const deadlineMs = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadlineMs) throw new Error(`The condition did not hold within ${withinMs} ms: ${holds}`);
    await pause(pollEveryMs);
  }
};
