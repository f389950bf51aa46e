import { existsSync } from 'node:fs';

/** Where the system says what a process is resident with. */
export const describeResident = existsSync('/proc/self/status') ? describe : describe.skip;
