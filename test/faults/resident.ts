import { existsSync, readFileSync } from 'node:fs';
import type { Server } from './server.ts';

/** Where the system says what a process is resident with. */
export const describeResident = existsSync('/proc/self/status') ? describe : describe.skip;

/** The most that a server's process has ever been resident with, in MiB. */
export const residentMostMb = ({ pid }: Pick<Server, 'pid'>): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
