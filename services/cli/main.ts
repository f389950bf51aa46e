import { privateUmask } from '@waymark/files/private.ts';
import { commandLine } from './program.ts';
import { exitCodes } from './terminal/exit-codes.ts';
import { endingOf } from './terminal/failures.ts';

// A reader that closes the pipe early (`| head`) is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? exitCodes.ok.code : exitCodes.failed.code),
);

process.umask(privateUmask);
try {
  await commandLine().parseAsync(process.argv.slice(2), { from: 'user' });
} catch (error) {
  process.exitCode = exitCodes[endingOf(error)].code;
}
