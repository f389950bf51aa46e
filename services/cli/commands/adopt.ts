import type { Command } from 'commander';
import { withRunning } from '../installation.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import { type OutputOptions, show } from '../terminal/output.ts';
import { withJson } from './options.ts';

const details = `
For a cluster whose processes refuse to start with what they find.

--signing-key: every signing key that the installation has accepted is lost. The
installation accepts the keys that the operator service was started with
(WAYMARK_SIGNING_KEY); then processes with these keys start. Tokens stay valid.
What Redis and Kafka hold was signed with the lost key and counts no more: it is
made again from the log. To replace a key that is not lost, restart the processes
with both keys instead.

--instead-of ID: the topic (WAYMARK_KAFKA_TOPIC) or the database
(WAYMARK_MONGODB_DATABASE) belongs to another installation, which this one is to
replace. Both are emptied and made again from this installation's log. It is
refused while the other installation shows life: all its processes have to be
stopped. Files (WAYMARK_MEDIA_URL) and whatever else is in the database stay.
Where it was cut off, run it again. Two installations that are to go on need
names of their own instead.
`;

type AdoptOptions = OutputOptions & { readonly signingKey?: boolean; readonly insteadOf?: string };
type AdoptedInstead = { readonly instead_of: string; readonly topic: boolean; readonly database: boolean };

export const addAdopt = (program: Command): void => {
  withJson(program.command('adopt'))
    .description('have a cluster accept new signing keys, or take over topic and database of another installation')
    .option('--signing-key', 'the keys that its operator service was started with')
    .option('--instead-of <ID>', 'the installation whose topic and database are to be emptied')
    .addHelpText('after', details)
    .action(async ({ signingKey, insteadOf, ...options }: AdoptOptions) => {
      if ((signingKey === true) === (insteadOf !== undefined)) {
        throw new CommandFailed('usage', 'Say what to adopt: either --signing-key or --instead-of ID.');
      }
      if (insteadOf !== undefined) return takeOver(insteadOf, options);
      const done = await withRunning((operator) => operator.ask('POST', '/adopt', { signing_key: true }));
      const text =
        'The signing keys are accepted. Processes that refused to start with them can be started; `waymark status` tells how they do.';
      show({ json: done, text }, options);
    });
};

const takeOver = async (insteadOf: string, options: OutputOptions): Promise<void> => {
  const done = await withRunning((operator) => operator.ask<AdoptedInstead>('POST', '/adopt', { instead_of: insteadOf }));
  const emptied = [...(done.topic ? ['the topic'] : []), ...(done.database ? ['the database'] : [])].join(' and ');
  show(
    { json: done, text: `Emptied of installation ${insteadOf}: ${emptied}. \`waymark status\` tells when it is filled from the log.` },
    options,
  );
};
