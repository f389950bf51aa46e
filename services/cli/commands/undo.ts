import type { Command } from 'commander';
import { withInstallation } from '../installation.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import { type OutputOptions, show } from '../terminal/output.ts';
import { reportText } from '../undo/report-text.ts';
import { withJson } from './options.ts';

type UndoOptions = OutputOptions & { readonly account: string; readonly run?: boolean; readonly from?: string; readonly to?: string };

const details = `
Without --run, nothing is changed: the report says what would be undone. What
others have changed since stays as it is, and is reported. If the command is
interrupted, the undo continues in the server.
`;

export const addUndo = (program: Command): void => {
  withJson(program.command('undo'))
    .description('undo all changes with a Correlation-Id: those of a load, or of a changeset')
    .argument('<correlation>', 'the Correlation-Id, as `waymark load` prints it')
    .requiredOption('--account <name>', 'account that the changes belong to')
    .option('--run', 'undo the changes, instead of only reporting what would be undone')
    .option('--from <time>', 'only changes at or after this time, like 2026-06-01T08:00:00.000Z')
    .option('--to <time>', 'only changes at or before this time')
    .addHelpText('after', details)
    .action(async (correlation: string, { account, run, from, to, ...options }: UndoOptions) => {
      // Imported here, because `start` needs no progress bar.
      const [{ undo }, { openProgress }] = await Promise.all([import('../undo/undo.ts'), import('../terminal/progress.ts')]);
      const dryRun = run !== true;
      const progress = (objects: number) => openProgress('Undoing', objects, { quiet: dryRun || options.json === true });
      const report = await withInstallation((operator) => undo(operator, { account, correlation, from, to, dryRun, progress }));
      show({ json: report, text: reportText(report) }, options);
      if (report.status === 'stopped') throw new CommandFailed('refused', `The undo has stopped: ${report.reason}.`);
    });
};
