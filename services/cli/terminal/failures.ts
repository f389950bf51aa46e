import { CommanderError } from 'commander';
import { CommandFailed, type Ending } from './exit-codes.ts';
import { plain } from './output.ts';

/** Returns the ending of a command that threw an error. Prints the message to stderr, unless commander has printed it already. */
export const endingOf = (error: unknown): Ending => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 'ok' : 'usage';
  const { message } = error as Error;
  process.stderr.write(`waymark: ${message.split('\n').map(plain).join('\n')}\n`);
  return error instanceof CommandFailed ? error.ending : 'failed';
};
