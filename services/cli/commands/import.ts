import type { ImportEnded, Verification } from '@waymark/operations/api/answers.ts';
import { ExportRefused } from '@waymark/transfer/format.ts';
import { type Exported, openExport } from '@waymark/transfer/reader.ts';
import { toSummaryMessage } from '@waymark/transfer/stored-manifest.ts';
import type { Command } from 'commander';
import type { Operator } from '../client/operator.ts';
import { sendExport } from '../import/sending.ts';
import { withRunning } from '../installation.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import { fields, grouped, type OutputOptions, show, table } from '../terminal/output.ts';
import { comparisonText } from './comparison.ts';
import { type ByOption, withBy, withJson } from './options.ts';

const details = `
Sends what the cluster does not have yet: every event to its own place in its
stream, with its id, revision, time and actor, and the files that events name. An
interrupted import continues where it stopped when it is run again. An
installation can be imported repeatedly while it is in use. The last import must
be of an export that was made with --final. Only then the read models are rebuilt,
and everything is compared. Clients may use the cluster after that.

The cluster must have no conflicting content of its own. If another event is at
the place of an exported one, or if the cluster may have given out an exported id
itself, the import is refused. Nothing is ever overwritten.
`;

export const addImport = (program: Command): void => {
  withBy(withJson(program.command('import')))
    .description('import an exported installation into a cluster; run again, it adds what is new')
    .argument('<directory>', 'the directory that `waymark export` wrote')
    .addHelpText('after', details)
    .action(async (directory: string, options: OutputOptions & ByOption) => {
      const done = await run(directory, options);
      show({ json: done, text: summaryText(done) }, options);
      if (!done.equal) throw new CommandFailed('faults', 'The content of the cluster differs from the export.');
      if (!done.inOrder) throw new CommandFailed('faults', outOfOrder);
      if (done.readSide?.sound === false)
        throw new CommandFailed('faults', 'The cluster is not sound: `waymark verify` shows the reasons.');
    });
};

type Imported = ImportEnded & {
  readonly final: boolean;
  readonly newEvents: number;
  readonly newFiles: number;
  readonly seconds: number;
  /** Null where the export is not final. */
  readonly readSide: Verification | null;
};

const run = async (directory: string, options: OutputOptions & ByOption): Promise<Imported> => {
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    const exported = await openExport(directory);
    return await withRunning(async (operator) => {
      await expectCluster(operator);
      return imported(operator, exported, interrupted.signal, options);
    });
  } catch (error) {
    throw error instanceof ExportRefused ? new CommandFailed('refused', error.message, { cause: error }) : error;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
};

const expectCluster = async (operator: Operator): Promise<void> => {
  const status = await operator.request('GET /operator/status');
  if (!('partitions' in status)) throw new CommandFailed('refused', 'The running installation is no cluster: only a cluster can import.');
};

const imported = async (
  operator: Operator,
  exported: Exported,
  signal: AbortSignal,
  { by, ...options }: OutputOptions & ByOption,
): Promise<Imported> => {
  const startedMs = performance.now();
  const quiet = options.json === true;
  const { manifest } = exported;
  // Imported here, because `start` does not need the progress bar.
  const { openProgress } = await import('../terminal/progress.ts');
  const progress = openProgress('Importing', manifest.events.count, { quiet });
  let sending: Awaited<ReturnType<typeof sendExport>>;
  try {
    sending = await sendExport({ operator, by, exported, progress, signal });
  } finally {
    progress.stop();
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  const say = (what: string): void => void (quiet || process.stderr.write(`${what}\n`));
  say('Comparing the log of the cluster with the export …');
  const ended = await operator.as(by).requestWithRetries('POST /operator/import/end', {
    body: { run: sending.run, manifest: toSummaryMessage(sending.manifest), accounts: sending.accounts },
  });
  return {
    ...ended,
    final: manifest.final,
    newEvents: manifest.events.count - sending.before.events,
    newFiles: manifest.files.count - sending.before.files,
    seconds: Math.round(seconds * 1_000) / 1_000,
    readSide: ended.ended ? await readSide(operator, say) : null,
  };
};

const readSide = async (operator: Operator, say: (what: string) => void): Promise<Verification> => {
  say('Rebuilding the read models …');
  await operator.request('POST /operator/rebuild');
  say('Comparing the read models with the log …');
  return operator.request('POST /operator/verify', { body: {} });
};

const summaryText = (done: Imported): string => `${counts(done)}\n\n${fields(outcome(done))}`;

const counts = ({ exported, imported }: ImportEnded): string => {
  const kinds = [...new Set([...Object.keys(exported.streams), ...Object.keys(imported.streams)])].sort();
  const row = (name: string, of: (holdings: ImportEnded['exported']) => number | string): readonly string[] => [
    name,
    ...[of(exported), of(imported)].map((value) => (typeof value === 'number' ? grouped(value) : value)),
  ];
  return table(
    ['', 'EXPORT', 'CLUSTER'],
    [
      row('events', ({ events }) => events),
      row('of them erased', ({ forgotten }) => forgotten),
      ...kinds.map((kind) => row(`streams of ${kind}`, ({ streams }) => streams[kind] ?? 0)),
      row('files', ({ files }) => files),
      row('of them missing', ({ missing }) => missing),
      row('digest', ({ digest }) => digest),
    ],
  );
};

const outcome = (done: Imported): readonly (readonly [string, string])[] => [
  ['new', `${grouped(done.newEvents)} events, ${grouped(done.newFiles)} files in ${done.seconds.toFixed(1)} s`],
  ['log', logOutcome(done)],
  ['read models', readSideOutcome(done)],
  ...(done.readSide?.history === undefined ? [] : [['history', comparisonText(done.readSide.history)] as const]),
  ['ended', done.ended ? 'yes: clients may use the cluster' : done.final ? 'no' : 'no: export again with --final, and import that'],
];

const outOfOrder = `The events of an account are not in the order of the export: an earlier release imported some of them. Import
into a cluster without content instead.`;

const logOutcome = ({ equal, inOrder }: ImportEnded): string => {
  if (!equal) return 'DIFFERS from the export';
  return inOrder ? 'equal to the export' : 'DIFFERS from the export in the order of events';
};

const readSideOutcome = ({ readSide }: Imported): string => {
  if (readSide === null) return 'will be rebuilt and compared after the final import';
  return comparisonText(readSide.readModels);
};
