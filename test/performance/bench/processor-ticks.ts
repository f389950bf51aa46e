import { readFileSync } from 'node:fs';

/** The unit in which Linux counts processor time in /proc. */
export const ticksPerSecond = 100;

/** The processor time that the whole machine has used so far, in ticks. `stolen`: that the hypervisor kept from it. */
export const machineTicks = () => {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, stolen = 0] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '')
    .trim()
    .split(/ +/)
    .slice(1)
    .map(Number);
  return { user, nice, system, irq, softIrq, stolen };
};

export type ProcessTicks = {
  readonly parent: number;
  readonly user: number;
  readonly system: number;
  /** The user time of its children that have ended. */
  readonly endedUser: number;
};

/** Returns the processor time that a process has used so far with all its threads, in ticks; undefined if the process has ended. */
export const processTicks = (pid: number): ProcessTicks | undefined => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return { parent: Number(fields[1]), user: Number(fields[11]), system: Number(fields[12]), endedUser: Number(fields[13]) };
  } catch {
    return undefined;
  }
};
