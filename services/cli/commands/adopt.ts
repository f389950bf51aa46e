import type { Command } from 'commander';
import { CommandFailed } from '../exit-codes.ts';
import { withRunning } from '../installation.ts';
import { type OutputOptions, show } from '../output.ts';
import { withJson } from './options.ts';

const details = `
For a cluster whose processes refuse to start with what they find.

--signing-key: every signing key that the installation has accepted is lost. The
installation accepts the keys that the operator service was started with
(WAYMARK_SIGNING_KEY); then processes with these keys start. Tokens stay valid.
What Redis and Kafka hold was signed with the lost key and counts no more: it is
made again from the log. To replace a key that is not lost, restart the processes
with both keys instead.
`;

type AdoptOptions = OutputOptions & { readonly signingKey?: boolean };

export const addAdopt = (program: Command): void => {
  withJson(program.command('adopt'))
    .description('have a cluster accept new signing keys after all others were lost')
    .option('--signing-key', 'the keys that its operator service was started with')
    .addHelpText('after', details)
    .action(async ({ signingKey, ...options }: AdoptOptions) => {
      if (!signingKey) throw new CommandFailed('usage', 'Say what to adopt: --signing-key.');
      const done = await withRunning((operator) => operator.ask('POST', '/adopt', { signing_key: true }));
      const text =
        'The signing keys are accepted. Processes that refused to start with them can be started; `waymark status` tells how they do.';
      show({ json: done, text }, options);
    });
};
