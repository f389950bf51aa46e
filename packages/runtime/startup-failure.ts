import { WrongSettings } from './settings.ts';

/** As `waymark --help` says. */
const exitWrongSettings = 2;
const exitCannotStart = 3;

/** Ends the process where a start failed: with one line where an operator can mend it, else with the stack. */
export const exitOnStartupFailure = (error: unknown, isOperators: (error: unknown) => boolean = () => false): void => {
  if (!(error instanceof WrongSettings || isOperators(error) || codes.test(String((error as NodeJS.ErrnoException).code)))) throw error;
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(error instanceof WrongSettings ? exitWrongSettings : exitCannotStart);
};

const codes = /^(EADDRINUSE|EADDRNOTAVAIL|ENOTFOUND|EACCES|EPERM|EROFS|ENOSPC|EDQUOT|EFBIG|EIO|SQLITE_(FULL|READONLY|CANTOPEN|IOERR)\w*)$/;
