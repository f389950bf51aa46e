import { inspect } from 'node:util';
import { isDamaged } from '@waymark/files/damaged.ts';
import { WrongSettings } from './settings.ts';

/** The exit codes that `waymark --help` documents. */
const exitUnexpected = 1;
const exitWrongSettings = 2;
const exitCannotStart = 3;

/** Ends the process after a failed start: with one line if an operator can correct the cause, otherwise with the stack trace. */
export const exitOnStartupFailure = (error: unknown, isOperators: (error: unknown) => boolean = () => false): never => {
  const isCorrectable =
    error instanceof WrongSettings || isOperators(error) || isDamaged(error) || codes.test(String((error as NodeJS.ErrnoException).code));
  process.stderr.write(`${isCorrectable ? (error as Error).message : inspect(error)}\n`);
  // What was opened before the failure would keep the process running.
  process.exit(error instanceof WrongSettings ? exitWrongSettings : isCorrectable ? exitCannotStart : exitUnexpected);
};

const codes = /^(EADDRINUSE|EADDRNOTAVAIL|ENOTFOUND|EACCES|EPERM|EROFS|ENOSPC|EDQUOT|EFBIG|EIO|SQLITE_(FULL|READONLY|CANTOPEN|IOERR)\w*)$/;
