import { readFileSync } from 'node:fs';
import { CommandFailed } from './exit-codes.ts';

/** Returns the text of a file that the words of a command name.
 * @throws CommandFailed where it cannot be read */
export const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return failedToRead(file)(error);
  }
};

/** Reports a file that cannot be read. Other errors are thrown again. */
export const failedToRead =
  (file: string) =>
  (error: unknown): never => {
    throw isOfFileSystem(error) ? new CommandFailed('usage', `${file} cannot be read: ${error.message}`, { cause: error }) : error;
  };

/** Writes to a file or a directory that the words of a command name.
 * @throws CommandFailed where it cannot be written to, what `write` throws */
export const orNotWritten = <Result>(file: string, write: () => Result): Result => {
  try {
    return write();
  } catch (error) {
    throw isOfFileSystem(error) ? new CommandFailed('usage', `${file} cannot be written to: ${error.message}`, { cause: error }) : error;
  }
};

const isOfFileSystem = (error: unknown): error is NodeJS.ErrnoException => (error as NodeJS.ErrnoException).syscall !== undefined;
