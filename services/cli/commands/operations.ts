import { resolve } from 'node:path';
import type { Rebuilt, Verification } from '@waymark/operations/api/answers.ts';
import type { Command } from 'commander';
import type { Operator } from '../client/operator.ts';
import { withInstallation } from '../installation.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import { fields, grouped, type OutputOptions, show } from '../terminal/output.ts';
import { comparisonText } from './comparison.ts';
import { collect, keyHelp, keysIn } from './notary-keys.ts';
import { type ByOption, withBy, withJson } from './options.ts';

/** Adds the commands that maintain an installation. */
export const addOperations = (program: Command): void => {
  addRebuild(program);
  addVerify(program);
  addBackup(program);
  addMedia(program);
};

const addRebuild = (program: Command): void => {
  withJson(program.command('rebuild'))
    .description(
      'rebuild the read models and the history from the log without downtime; exit code 5 if the previous read models differed from the log',
    )
    .action(async (options: OutputOptions) => {
      const done = await ask('POST /operator/rebuild');
      const from = done.events === undefined ? 'the log' : `${grouped(done.events)} events`;
      const text = [`Rebuilt from ${from} in ${done.seconds.toFixed(1)} s.`, ...comparisonLines(done.comparison ?? null)].join(' ');
      show({ json: done, text }, options);
      if (done.comparison?.outcome === 'different') throw new CommandFailed('faults', 'The previous read models differed from the log.');
    });
};

const comparisonLines = (comparison: NonNullable<Rebuilt['comparison']> | null): readonly string[] => {
  if (comparison === null) return [];
  const { outcome, rows, different, examples } = comparison;
  if (outcome === 'equal') return [`Equal to the previous read models: ${grouped(rows)} rows.`];
  if (outcome === 'undecided') return ['Too much was written meanwhile to compare everything with the previous read models.'];
  return [
    `DIFFERENT from the previous read models in ${grouped(different)} of ${grouped(rows)} rows: ${examples.join(', ')}. The rebuilt read models are now in use.`,
  ];
};

const addVerify = (program: Command): void => {
  withJson(program.command('verify'))
    .description(
      "check the log against its commitments and the notary's checkpoints, and the read models and the history against the log; exit code 5 if a check fails",
    )
    .option('--key <key>', keyHelp, collect)
    .action(async ({ key = [], ...options }: OutputOptions & { readonly key?: readonly string[] }) => {
      const keys = (await keysIn(key)).map(({ text }) => text);
      const found = await ask('POST /operator/verify', { body: { keys } });
      show({ json: found, text: verificationText(found) }, options);
      if (keys.length > 0 && found.checkpoint === undefined) throw new CommandFailed('faults', 'This release compares no checkpoints.');
      if (!found.sound) throw new CommandFailed('faults', 'The installation is not sound.');
    });
};

const checkpointText = (checkpoint: NonNullable<Verification['checkpoint']> | null): string => {
  if (checkpoint === null) return 'none to compare the log with';
  const { number, origin, time, published, compared, younger } = checkpoint;
  const where = published ? '' : '; NOT COMPARED WITH PUBLISHED ONES: a cut end of the log may go unnoticed';
  return `the log is as checkpoint ${number} of ${origin} covers it (${time}); ${grouped(compared)} compared, ${grouped(younger)} later events are not covered${where}`;
};

const verificationText = ({ log, clocks = [], readModels, history, checkpoint, unchecked = [] }: Verification): string => {
  // What is built from a log that is not sound is not sound either.
  const mend = log.length === 0 ? ': run `waymark rebuild`' : '';
  return fields([
    ...(log.length === 0 ? ['sound'] : log).map((what): [string, string] => ['log', what]),
    ...(checkpoint === undefined ? [] : [['checkpoints', checkpointText(checkpoint)] as [string, string]]),
    ['read models', comparisonText(readModels, mend)],
    ...(history === undefined ? [] : [['history', comparisonText(history, mend)] as [string, string]]),
    ...clocks.map((what): [string, string] => ['clock set back', what]),
    ...unchecked.map((what): [string, string] => ['NOT CHECKED', what]),
  ]);
};

const addBackup = (program: Command): void => {
  withJson(program.command('backup'))
    .description('copy the installation, with checksums, while it continues to work')
    .argument('<directory>', 'empty or new directory; on the machine that the installation runs on')
    .action(async (directory: string, options: OutputOptions) => {
      const done = await ask('POST /operator/backup', { body: { directory: resolve(directory) } });
      show({ json: done, text: `Backed up ${grouped(done.files)} files, up to position ${done.head}, to ${done.directory}.` }, options);
    });
};

const addMedia = (program: Command): void => {
  const media = program.command('media').description('uploaded files');
  withBy(withJson(media.command('prune')))
    .description('remove files that no event names and that are older than a day')
    .action(async ({ by, ...options }: OutputOptions & ByOption) => {
      const done = await withInstallation((operator) => operator.as(by).request('POST /operator/media/prune'));
      const why = done.unfinishedImports.length > 0 ? ' An import is not finished: no file is removed until it is.' : '';
      show({ json: done, text: `Removed ${grouped(done.removed)} files, kept ${grouped(done.kept)}.${why}` }, options);
    });
};

const ask: Operator['request'] = (name, ...values) => withInstallation((operator) => operator.request(name, ...values));
