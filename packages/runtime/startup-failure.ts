import { WrongSettings } from './settings.ts';

/** The exit codes that `waymark --help` documents. */
const exitWrongSettings = 2;
const exitCannotStart = 3;

/** Ends the process after a failed start: with one line if an operator can correct the cause, otherwise with the stack trace. */
export const exitOnStartupFailure = (error: unknown, isOperators: (error: unknown) => boolean = () => false): void => {
  if (!(error instanceof WrongSettings || isOperators(error) || codes.test(String((error as NodeJS.ErrnoException).code)))) throw error;
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(error instanceof WrongSettings ? exitWrongSettings : exitCannotStart);
};

const codes = /^(EADDRINUSE|EADDRNOTAVAIL|ENOTFOUND|EACCES|EPERM|EROFS|ENOSPC|EDQUOT|EFBIG|EIO|SQLITE_(FULL|READONLY|CANTOPEN|IOERR)\w*)$/;
