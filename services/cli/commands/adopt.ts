import type { Command } from 'commander';
import { withRunning } from '../installation.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import { type OutputOptions, show } from '../terminal/output.ts';
import { type ByOption, withBy, withJson } from './options.ts';

const details = `
For a cluster whose processes refuse to start because of the signing keys, the
topic or the database that they find.

--signing-key: every signing key that the installation has accepted is lost. The
installation accepts the keys that the operator service was started with
(WAYMARK_SIGNING_KEY); then processes with these keys start. Tokens stay valid.
Data in Redis and Kafka was signed with the lost key and is no longer accepted:
it is rebuilt from the log. To replace a key that is not lost, restart the
processes with both keys instead.

--instead-of ID: the topic (WAYMARK_KAFKA_TOPIC) or the database
(WAYMARK_MONGODB_DATABASE) belongs to another installation, which this one
replaces. Both are emptied and rebuilt from the log of this installation. The
command is refused while the other installation shows signs of life: stop all its
processes first. Files (WAYMARK_MEDIA_URL) and everything else in the database
stay. If the command was interrupted, run it again. If both installations are to
continue, give each its own topic and database instead.
`;

type AdoptOptions = OutputOptions & ByOption & { readonly signingKey?: boolean; readonly insteadOf?: string };

export const addAdopt = (program: Command): void => {
  withBy(withJson(program.command('adopt')))
    .description('make a cluster accept new signing keys, or take over the topic and database of another installation')
    .option('--signing-key', 'accept the keys that the operator service was started with')
    .option('--instead-of <ID>', 'the installation whose topic and database are emptied')
    .addHelpText('after', details)
    .action(async ({ signingKey, insteadOf, ...options }: AdoptOptions) => {
      if ((signingKey === true) === (insteadOf !== undefined)) {
        throw new CommandFailed('usage', 'Specify either --signing-key or --instead-of ID.');
      }
      if (insteadOf !== undefined) return takeOver(insteadOf, options);
      const done = await withRunning((operator) =>
        operator.as(options.by).request('POST /operator/adopt', { body: { signing_key: true } }),
      );
      const text =
        'The signing keys are accepted. Processes that refused to start with them can be started now; `waymark status` shows their state.';
      show({ json: done, text }, options);
    });
};

const takeOver = async (insteadOf: string, options: OutputOptions & ByOption): Promise<void> => {
  const done = await withRunning((operator) =>
    operator.as(options.by).request('POST /operator/adopt', { body: { instead_of: insteadOf } }),
  );
  const emptied = [...(done.topic ? ['the topic'] : []), ...(done.database ? ['the database'] : [])].join(' and ');
  show(
    { json: done, text: `Emptied ${emptied} of installation ${insteadOf}. \`waymark status\` shows when it is filled from the log.` },
    options,
  );
};
