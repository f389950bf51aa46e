import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { withInstallation } from '../installation.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import { fields, grouped, type OutputOptions, show } from '../terminal/output.ts';
import { withJson } from './options.ts';

/** Adds the commands that maintain an installation. */
export const addOperations = (program: Command): void => {
  addRebuild(program);
  addVerify(program);
  addBackup(program);
  addMedia(program);
  addForget(program);
};

const addRebuild = (program: Command): void => {
  withJson(program.command('rebuild'))
    .description('make the read side anew from the log; the present one serves meanwhile; exit code 5 where that was not what the log says')
    .action(async (options: OutputOptions) => {
      const done = await ask<Rebuilt>('/rebuild');
      const from = done.events === undefined ? 'the log' : `${grouped(done.events)} events`;
      const text = [`Rebuilt from ${from} in ${done.seconds.toFixed(1)} s.`, ...compared(done.comparison ?? null)].join(' ');
      show({ json: done, text }, options);
      if (done.comparison?.outcome === 'different') throw new CommandFailed('faults', 'The read side before was not what the log says.');
    });
};

/** `comparison`: in a cluster, the comparison with the previous read models; null where those were of another version. */
type Rebuilt = { readonly events?: number; readonly seconds: number; readonly comparison?: Comparison | null };
type Comparison = {
  readonly outcome: 'equal' | 'different' | 'undecided';
  readonly rows: number;
  readonly different: number;
  readonly examples: readonly string[];
};

const compared = (comparison: Comparison | null): readonly string[] => {
  if (comparison === null) return [];
  const { outcome, rows, different, examples } = comparison;
  if (outcome === 'equal') return [`Equal to the one before: ${grouped(rows)} rows.`];
  if (outcome === 'undecided') return ['Too much was written to compare all of it with the one before.'];
  return [
    `DIFFERENT from the one before in ${grouped(different)} of ${grouped(rows)} rows: ${examples.join(', ')}. What was made from the log is read now.`,
  ];
};

type Verification = {
  readonly sound: boolean;
  readonly log: readonly string[];
  readonly readModels: { readonly equal: boolean; readonly position: number };
  readonly unchecked?: readonly string[];
};

const addVerify = (program: Command): void => {
  withJson(program.command('verify'))
    .description('hold the log against its own commitments, and the read side against the log; exit code 5 where something is wrong')
    .action(async (options: OutputOptions) => {
      const found = await ask<Verification>('/verify');
      show({ json: found, text: verified(found) }, options);
      if (!found.sound) throw new CommandFailed('faults', 'The installation is not sound.');
    });
};

const verified = ({ log, readModels: { equal, position }, unchecked = [] }: Verification): string =>
  fields([
    ['log', log.length === 0 ? 'sound' : log.join('\n     ')],
    ['read side', `${equal ? 'equal to the log' : 'DIFFERS from the log: run `waymark rebuild`'}, up to position ${position}`],
    ...unchecked.map((what): [string, string] => ['NOT CHECKED', what]),
  ]);

const addBackup = (program: Command): void => {
  withJson(program.command('backup'))
    .description('copy everything, with checksums, while it goes on working')
    .argument('<directory>', 'empty or new; on the machine that the installation runs on')
    .action(async (directory: string, options: OutputOptions) => {
      const order = { directory: resolve(directory) };
      const done = await ask<{ directory: string; files: number; head: number }>('/backup', order);
      show({ json: done, text: `Backed up ${grouped(done.files)} files, up to position ${done.head}, to ${done.directory}.` }, options);
    });
};

const addMedia = (program: Command): void => {
  const media = program.command('media').description('uploaded files');
  withJson(media.command('prune'))
    .description('remove files that no event names and that are older than a day')
    .action(async (options: OutputOptions) => {
      const done = await ask<{ removed: number; kept: number; unfinishedImports: readonly string[] }>('/media/prune');
      const why = done.unfinishedImports.length > 0 ? ' An import is not finished: no file is removed before it is.' : '';
      show({ json: done, text: `Removed ${grouped(done.removed)} files, kept ${grouped(done.kept)}.${why}` }, options);
    });
};

type Forgotten = {
  readonly stream: string;
  readonly revision: number;
  readonly events: number;
  readonly log: 'overwritten' | 'truncated';
  readonly files: number;
  readonly copies: boolean;
};

const addForget = (program: Command): void => {
  withJson(program.command('forget'))
    .description('erase what an object was, for good; what it is stays, or that it is deleted. Run again, it finishes what was cut off')
    .argument('<kind>', 'pinpoint, list, category or event')
    .argument('<id>', 'its id', wholeNumber)
    .requiredOption('--account <name>', 'whose it is')
    .action(async (kind: string, id: number, { account, ...options }: OutputOptions & { readonly account: string }) => {
      const done = await ask<Forgotten>('/forget', { kind, id, account });
      show({ json: done, text: forgotten(done) }, options);
    });
};

const wholeNumber = (text: string): number => {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('It is no positive whole number.');
  return number;
};

const forgotten = ({ stream, revision, events, log, files, copies }: Forgotten): string =>
  [
    `Erased ${grouped(events)} events of ${stream}, all before revision ${revision}, and ${grouped(files)} files.`,
    log === 'truncated'
      ? 'Nobody can read them any more; their bytes go with the next scavenge of the event store, once their chunk is complete.'
      : "They are nowhere in the log's file. Run `waymark rebuild` to be rid of what the read side's file may hold in pages that are free.",
    ...(copies
      ? []
      : ['Kafka still has copies, because the relay is behind or Kafka away: they go by themselves within hours, or run this again.']),
    'Backups and exports made before have what they have.',
  ].join('\n');

const ask = <Body>(path: string, body?: object): Promise<Body> => withInstallation((operator) => operator.ask<Body>('POST', path, body));
