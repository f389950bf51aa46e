import { readdirSync, readFileSync } from 'node:fs';
import { engineProcesses } from './cluster/usage.ts';

/** How many cores other programs kept busy, on average, and how many the hypervisor kept from this machine. Both are read from Linux's
 * /proc. Only their own code counts, not what the kernel does for them: the kernel works for the programs that are measured, too. */
export const watchForeignLoad = (): (() => number) => {
  const startedMs = performance.now();
  const ours = ownProcesses();
  const [allBefore, ownBefore] = [userTicksOfAll(), userTicksOf(ours)];
  return () => {
    const seconds = (performance.now() - startedMs) / 1_000;
    const ticks = userTicksOfAll() - allBefore - (userTicksOf(ownProcesses()) - ownBefore);
    return Math.max(0, ticks / ticksPerSecond / seconds);
  };
};

const ticksPerSecond = 100;

/** Returns the time that user programs have run so far, and the time that the hypervisor took. */
const userTicksOfAll = (): number => {
  const [user = 0, nice = 0, , , , , , stolen = 0] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '')
    .trim()
    .split(/ +/)
    .slice(1)
    .map(Number);
  return user + nice + stolen;
};

type ProcessTicks = { readonly pid: number; readonly parent: number; readonly userTicks: number };

/** Reads a process; its ended children count with it. Returns undefined if it has ended. */
const read = (pid: number): ProcessTicks | undefined => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return { pid, parent: Number(fields[1]), userTicks: Number(fields[11]) + Number(fields[13]) };
  } catch {
    return undefined;
  }
};

/** Returns this process with all that it started, and the engines. */
const ownProcesses = (): readonly ProcessTicks[] => {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => read(Number(name)))
    .filter((process) => process !== undefined);
  const own = new Set([process.pid, ...engineProcesses().flatMap(({ pids }) => pids)]);
  for (let before = 0; before < own.size; ) {
    before = own.size;
    for (const { pid, parent } of all) if (own.has(parent)) own.add(pid);
  }
  return all.filter(({ pid }) => own.has(pid));
};

const userTicksOf = (processes: readonly ProcessTicks[]): number => processes.reduce((sum, { userTicks }) => sum + userTicks, 0);
