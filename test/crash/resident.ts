import { existsSync } from 'node:fs';

/** Is `describe` where the system reports the resident memory of a process, and skips the tests elsewhere. */
export const describeResident = existsSync('/proc/self/status') ? describe : describe.skip;
