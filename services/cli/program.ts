import { release } from '@waymark/domain/release.ts';
import { Command } from 'commander';
import { exitCodes } from './terminal/exit-codes.ts';
import { fields } from './terminal/output.ts';

/** Adds a command to the program. */
export type AddCommand = (program: Command) => void;

/** Creates the program `waymark` with these commands. */
export const programWith = (commands: readonly AddCommand[]): Command => {
  const program = new Command('waymark')
    .description('A content service for maps: pinpoints, lists, categories and events over REST, every edit kept for good.')
    .version(release)
    .showHelpAfterError('(see --help)')
    .configureHelp({ showGlobalOptions: false })
    .addHelpText('after', details)
    .exitOverride();
  for (const add of commands) add(program);
  return program;
};

const details = `
A command works on the installation in WAYMARK_DATA_DIR (waymark-data by default),
whether or not its server runs, or on the one whose operator API is at
WAYMARK_OPS_URL, with WAYMARK_OPS_TOKEN or WAYMARK_OPS_TOKEN_FILE.

Exit codes:
${fields(Object.values(exitCodes).map(({ code, meaning }) => [`  ${code}`.padEnd(5), meaning]))}`;
