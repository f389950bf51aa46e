import { readFileSync } from 'node:fs';

/** The most that a process has ever been resident with, in MiB, where the system says it. */
export const residentMostMb = ({ pid }: { readonly pid: number }): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
