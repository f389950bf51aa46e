import { openSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { dataDirectory, namedOperator } from '../environment.ts';
import { withInstallationOrNew } from '../installation.ts';
import type { Changeset } from '../load/changeset.ts';
import type { Refusal } from '../load/ledger.ts';
import type { Summary } from '../load/load.ts';
import { messages } from '../load/messages.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import { orNotWritten } from '../terminal/named-files.ts';
import { grouped, type OutputOptions, plain, show } from '../terminal/output.ts';
import type { Progress } from '../terminal/progress.ts';
import { withJson } from './options.ts';

type LoadOptions = OutputOptions & { readonly account: string; readonly report?: string; readonly comment?: string; readonly by?: string };

const details = `
NDJSON (.ndjson, .jsonl): one pinpoint per line, with the fields of the API.
CSV (.csv, UTF-8): the first line names the fields; tags are separated by ";".

An interrupted load continues where it stopped when it is run again, and creates
no row twice. All its changes have the same Correlation-Id, which is printed at
the start; with --comment, it is the id of a changeset. A load that is run again
keeps the changeset of its first run. Refused rows do not stop it: they are
reported with the messages of the API, and the exit code is 5. Correct these rows
in a separate file, and load that file.
`;

export const addLoad = (program: Command): void => {
  withJson(program.command('load'))
    .description('create a pinpoint from every row of a file')
    .argument('<file>', 'NDJSON or CSV')
    .requiredOption('--account <account>', 'account that the pinpoints belong to; created if it is new')
    .option('--report <file>', 'write refused rows to this file, one JSON object per line, instead of to stderr')
    .option('--comment <text>', 'say in the history why the changes are made (1,000 characters)')
    .option('--by <text>', 'with --comment: say who makes them (255 characters)')
    .addHelpText('after', details)
    .action(async (file: string, options: LoadOptions) => {
      const summary = await run(file, options);
      show({ json: summary, text: summaryText(summary) }, options);
      if (!summary.complete) throw new CommandFailed('interrupted', 'Interrupted. Run the same command again to continue.');
      if (summary.refused > 0) throw new CommandFailed('faults', `${grouped(summary.refused)} rows were refused.`);
    });
};

const run = async (file: string, options: LoadOptions): Promise<Summary> => {
  const { account, report, json } = options;
  const changeset = changesetOf(options);
  // Imported here, because `start` needs neither the parsers of files nor the progress bar.
  const [{ load }, { openProgress }] = await Promise.all([import('../load/load.ts'), import('../terminal/progress.ts')]);
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  // A terminal and npm may both send the signal. A second signal has no effect.
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  const notes = namedOperator(process.env) === undefined ? dataDirectory(process.env) : resolve();
  const onStart = json === true ? () => undefined : printCorrelation;
  const onRefused = report === undefined ? toStderr : toFile(report);
  const progress = (bytes: number): Progress => openProgress('Loading', bytes, { quiet: json === true });
  const warn = (text: string): void => void process.stderr.write(`waymark: ${plain(text)}\n`);
  try {
    return await withInstallationOrNew((operator) =>
      load(operator, { file, account, changeset, notes, progress, onStart, onRefused, warn, signal: interrupted.signal }),
    );
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
};

const changesetOf = ({ comment, by }: LoadOptions): Changeset | undefined => {
  if (comment === undefined && by !== undefined) throw new CommandFailed('usage', '--by needs --comment.');
  return comment === undefined ? undefined : { comment, ...(by === undefined ? {} : { by }) };
};

/** Prints the id by which the history finds the changes of this load. */
const printCorrelation = (correlation: string, progress: Progress): void => progress.print(`Correlation-Id: ${correlation}`);

const toStderr = ({ row, line, problems }: Refusal, progress: Progress): void =>
  progress.print(`row ${row} (line ${line}): ${plain(messages(problems).join(' '))}`);

/** A `Refusal` as a line of the report. Stored: never rename. */
type StoredRefusal = { readonly row: number; readonly line: number; readonly problems: unknown };

const toStored = (refusal: Refusal): StoredRefusal => ({ row: refusal.row, line: refusal.line, problems: refusal.problems });

const toFile = (report: string): ((refusal: Refusal) => void) => {
  const descriptor = orNotWritten(report, () => openSync(report, 'a'));
  return (refusal) => orNotWritten(report, () => writeFileSync(descriptor, `${JSON.stringify(toStored(refusal))}\n`));
};

const summaryText = ({ rows, created, refused, resumedAfter, seconds, perSecond }: Summary): string => {
  const earlier = resumedAfter === 0 ? '' : ` The first ${grouped(resumedAfter)} rows were processed by an earlier run.`;
  const counts = `${grouped(rows)} rows: ${grouped(created)} pinpoints created, ${grouped(refused)} rows refused.`;
  return `${counts}${earlier} ${seconds.toFixed(1)} s, ${grouped(perSecond)} rows a second.`;
};
