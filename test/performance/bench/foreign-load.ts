import { readdirSync } from 'node:fs';
import { machineTicks, type ProcessTicks, processTicks, ticksPerSecond } from './processor-ticks.ts';

/** Starts to measure how many cores other programs keep busy, and how many the hypervisor keeps from this machine. Only the programs' own code
 * counts, not what the kernel does for them: the kernel works for the programs that are measured, too.
 * @returns a function that returns the average since then */
export const watchForeignLoad = (): (() => number) => {
  const startedMs = performance.now();
  const before = foreignTicks();
  return () => Math.max(0, (foreignTicks() - before) / ticksPerSecond / ((performance.now() - startedMs) / 1_000));
};

const foreignTicks = (): number => {
  const { user, nice, stolen } = machineTicks();
  return user + nice + stolen - ownProcesses().reduce((sum, own) => sum + own.user + own.endedUser, 0);
};

/** Returns this process with all that it started. */
const ownProcesses = (): readonly ProcessTicks[] => {
  const all = new Map<number, ProcessTicks>();
  for (const name of readdirSync('/proc')) {
    const ticks = /^\d+$/.test(name) ? processTicks(Number(name)) : undefined;
    if (ticks) all.set(Number(name), ticks);
  }
  const own = new Set([process.pid]);
  for (let before = 0; before < own.size; ) {
    before = own.size;
    for (const [pid, { parent }] of all) if (own.has(parent)) own.add(pid);
  }
  return [...all].filter(([pid]) => own.has(pid)).map(([, ticks]) => ticks);
};
