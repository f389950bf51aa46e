import { readFileSync } from 'node:fs';

/** Returns the peak resident memory of a process, in MiB, on systems that report it. */
export const residentMostMb = ({ pid }: { readonly pid: number }): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
