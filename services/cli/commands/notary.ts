import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { notaryDirectory } from '@waymark/checkpoints/notary-directory.ts';
import type { Command } from 'commander';
import { dataDirectory } from '../environment.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import { type OutputOptions, show } from '../terminal/output.ts';
import { withJson } from './options.ts';
import { runService } from './services.ts';

const details = `
The directory of the notary is WAYMARK_NOTARY_DIR, or else notary in WAYMARK_DATA_DIR.
Run the command on the machine of the notary, as its user.
`;

/** Adds the notary of a cluster, and the commands about a notary. They use its directory, so only its own user can give them. */
export const addNotary = (program: Command): void => {
  const notary = program
    .command('notary')
    .description('run the notary of a cluster; with a command: the keys that sign checkpoints, and the order to begin')
    .action(() => runService('notary'));
  withJson(notary.command('key'))
    .description('print the public keys of the notary, the newest one first')
    .addHelpText('after', details)
    .action((options: OutputOptions) => {
      const keys = notaryDirectory(directoryIn(process.env)).verifierKeys();
      if (keys.length === 0) throw new CommandFailed('refused', 'The notary has not started yet: it has no key.');
      show({ json: { keys }, text: keys.join('\n') }, options);
    });
  withJson(notary.command('begin'))
    .description('let the notary begin with the log as it is, where the log lacks what was signed; the checkpoints show it')
    .addHelpText('after', details)
    .action((options: OutputOptions) => {
      notaryDirectory(directoryIn(process.env)).beginning.order();
      show(
        { json: { ordered: true }, text: 'The notary begins at its next attempt, if the log has been renewed since its last checkpoint.' },
        options,
      );
    });
};

const directoryIn = (environment: NodeJS.ProcessEnv): string => {
  const directory = environment['WAYMARK_NOTARY_DIR'] || join(dataDirectory(environment), 'notary');
  if (!existsSync(directory)) throw new CommandFailed('refused', `There is no directory of a notary: ${directory}`);
  return directory;
};
