import { resolve } from 'node:path';
import type { ExportDone } from '@waymark/operations/api/answers.ts';
import type { Command } from 'commander';
import type { Operator } from '../client/operator.ts';
import { withInstallation } from '../installation.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import { fields, grouped, type OutputOptions, show } from '../terminal/output.ts';
import { type ByOption, withBy, withJson } from './options.ts';

/** Adds the commands that a move to a cluster needs at the old installation. */
export const addExportAndWrites = (program: Command): void => {
  addExport(program);
  addWrites(program);
};

const addExport = (program: Command): void => {
  withBy(withJson(program.command('export')))
    .description('export history and files, to import them into a cluster; run again, it adds what is new')
    .argument('<directory>', 'empty or new directory, or an earlier export; on the machine that the installation runs on')
    .option('--final', 'close writes first, so that nothing can be written after the export; they stay closed')
    .action(async (directory: string, { by, ...options }: OutputOptions & ByOption & { readonly final?: boolean }) => {
      const into = resolve(directory);
      const done = await withInstallation((operator) =>
        options.final ? exportFinally(operator.as(by), into) : exportInto(operator.as(by), into, false),
      );
      show({ json: done, text: exported(done) }, options);
    });
};

const exportInto = (operator: Operator, directory: string, final: boolean): Promise<ExportDone> =>
  operator.request('POST /operator/export', { body: final ? { directory, final } : { directory } });

const leftClosed = 'Writes are closed now. Run the command again, or open them: `waymark writes open`.';

/** Exports most events while writes are open. Closes writes only to export the rest.
 * @throws CommandFailed, which says so if writes were closed before */
export const exportFinally = async (operator: Operator, directory: string): Promise<ExportDone> => {
  const most = await exportInto(operator, directory, false);
  await operator.request('POST /operator/writes', { body: { open: false } });
  const rest = await exportInto(operator, directory, true).catch((error: unknown) => {
    if (!(error instanceof CommandFailed)) throw error;
    throw new CommandFailed(error.ending, `${error.message}\n${leftClosed}`, { cause: error });
  });
  return { ...rest, newEvents: most.newEvents + rest.newEvents, newFiles: most.newFiles + rest.newFiles };
};

const exported = (done: ExportDone): string =>
  fields([
    ['directory', done.directory],
    ['events', `${grouped(done.events)}, ${grouped(done.newEvents)} of them new, up to position ${done.position}`],
    ['files', `${grouped(done.files)}, ${grouped(done.newFiles)} of them new${missing(done.missingFiles)}`],
    ['digest', done.digest],
    [
      'final',
      done.final ? 'yes: writes are closed; `waymark writes open` opens them again' : 'no: run it again, the last time with --final',
    ],
  ]);

const missing = (count: number): string => (count === 0 ? '' : `; ${grouped(count)} are MISSING in the store`);

const addWrites = (program: Command): void => {
  const writes = program.command('writes').description('whether the installation accepts writes');
  withBy(withJson(writes.command('close')))
    .description('answer every write with 503, also after a restart, until writes are opened again; reads continue')
    .action((options: OutputOptions & ByOption) => setWrites(false, options));
  withBy(withJson(writes.command('open')))
    .description('accept writes again')
    .action((options: OutputOptions & ByOption) => setWrites(true, options));
};

const setWrites = async (open: boolean, { by, ...options }: OutputOptions & ByOption): Promise<void> => {
  const done = await withInstallation((operator) => operator.as(by).request('POST /operator/writes', { body: { open } }));
  show({ json: done, text: `Writes are ${done.writes}.` }, options);
};
