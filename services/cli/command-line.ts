import type { Command } from 'commander';
import { addStart } from './commands/start.ts';
import { programWith } from './program.ts';
import { exitCodes } from './terminal/exit-codes.ts';
import { endingOf } from './terminal/failures.ts';

/** Runs a command to its end, and sets the exit code of the process.
 * @param words the arguments of the process */
export const runCommandLine = async (words: readonly string[]): Promise<void> => {
  // A reader that closes the pipe early (`| head`) is not a failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? exitCodes.ok.code : exitCodes.failed.code),
  );
  try {
    const program = await programFor(words);
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    process.exitCode = exitCodes[endingOf(error)].code;
  }
};

/** A server starts without the code of the other commands. */
const programFor = async ([command]: readonly string[]): Promise<Command> =>
  programWith(command === 'start' ? [addStart] : (await import('./commands/all.ts')).allCommands);
