import { resolve } from 'node:path';
import type { RestoreDone } from '@waymark/standalone/backup/restore.ts';
import type { Command } from 'commander';
import { dataDirectory, namedOperator } from '../environment.ts';
import { serverOf } from '../installation.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import { type OutputOptions, show } from '../terminal/output.ts';
import { withJson } from './options.ts';

export const addRestore = (program: Command): void => {
  withJson(program.command('restore'))
    .description('replace the content of the data directory by a backup, and keep the old content beside it; the server must be stopped')
    .argument('<directory>', 'the directory that `waymark backup` wrote')
    .action(async (from: string, options: OutputOptions) => {
      const directory = dataDirectory(process.env);
      await refuseWhereItRuns(directory);
      const { keptIn, head, notaryContinues } = await restore(resolve(from), directory);
      const kept = keptIn === null ? '' : `\nThe previous content is in ${keptIn}.`;
      const notary = notaryContinues ? '' : `\n${mayRefuse}`;
      const text = `Restored ${directory} up to position ${head}. All tokens are dropped; clients have to request new ones.${kept}${notary}`;
      show({ json: { directory, keptIn, head, notaryContinues }, text }, options);
    });
};

const mayRefuse =
  'The last checkpoint of the restored log is not the last one of its notary. Start the server: if waymark status says that the notary refuses, run waymark notary begin.';

const refuseWhereItRuns = async (directory: string): Promise<void> => {
  if (namedOperator(process.env) !== undefined) {
    throw new CommandFailed(
      'usage',
      'restore works on the data directory of a stopped server: unset WAYMARK_OPS_URL and set WAYMARK_DATA_DIR.',
    );
  }
  const found = await serverOf(directory);
  // A silent one has the lock of the directory, or is another process by now.
  if (found !== undefined && found !== 'silent') throw new CommandFailed('refused', `A server runs on ${directory}: stop it first.`);
};

const restore = async (from: string, directory: string): Promise<RestoreDone> => {
  const [{ restoreBackup }, { BackupRefused }, { DirectoryInUse }, { DirectoryRefused }] = await Promise.all([
    import('@waymark/standalone/backup/restore.ts'),
    import('@waymark/standalone/backup/manifest.ts'),
    import('@waymark/runtime/lock.ts'),
    import('@waymark/runtime/directory.ts'),
  ]);
  return restoreBackup(from, directory, process.env['WAYMARK_NOTARY_DIR']).catch((error) => {
    const refused = [BackupRefused, DirectoryInUse, DirectoryRefused].some((refusal) => error instanceof refusal);
    throw refused ? new CommandFailed('refused', error.message, { cause: error }) : error;
  });
};
