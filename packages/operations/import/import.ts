import { hash } from 'node:crypto';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { summarize } from '@waymark/event-log/erasure/erasure-summary.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { createOpenUndos } from '@waymark/history/undo-jobs/open-jobs.ts';
import { badRequest, conflict } from '@waymark/http/errors.ts';
import { type Media, MediaNameTaken } from '@waymark/media/media.ts';
import { mediaTypeOf } from '@waymark/media/names.ts';
import { createEventDigest, eventSum } from '@waymark/transfer/digest.ts';
import type { ExportSummary } from '@waymark/transfer/format.ts';
import type { ImportEnded, Nothing, Reached } from '../api/answers.ts';
import { compare, type Erased, type UnfinishedUndos } from './compare.ts';
import { splitIntoRuns } from './events.ts';
import { reserveIds } from './ids.ts';
import { filesAskedAtOnce } from './limits.ts';
import { expectOwn } from './owners.ts';
import { appendRuns } from './placement.ts';
import { type ImportState, readState, record } from './state.ts';
import type { Comparison } from './stored-facts.ts';
import { nameImport } from './unfinished.ts';

export type ImportOptions = {
  readonly log: EventLog;
  readonly media: Media;
};

/** The running import and the installation that it imports. Each run of the importing program has its own name. */
export type Importer = { readonly run: string; readonly incarnation: string };

/** A sequence of an export's events. */
export type Batch = Importer & {
  /** The index of the first event in the export. */
  readonly first: number;
  /** The digest of all events before the first one; see `createEventDigest`. */
  readonly digest: string;
  /** The number of the export's files that have been imported. */
  readonly files: number;
  readonly events: readonly unknown[];
};

/** Runs one import at a time; a new run replaces the one before. All progress is in the log before a request is answered, so an import can
 * resume after any failure. */
export type Importing = {
  readonly begin: (run: string, manifest: ExportSummary) => Promise<Reached>;
  /** Returns which of these files are not in the store: an import that resumes sends them again. */
  readonly missingFiles: (names: readonly string[]) => Promise<{ readonly missing: readonly string[] }>;
  /** Reserves the names of files that were erased in the exported installation. */
  readonly markErased: (names: readonly string[]) => Promise<Nothing>;
  readonly addFile: (name: string, bytes: Buffer) => Promise<{ readonly sha256: string }>;
  readonly addEvents: (batch: Batch) => Promise<Reached>;
  /** Compares the imported events with the export. If they are equal and in order, and the export is final, the import has ended.
   * @param accountsDigest of the export's events; see `createAccountsDigest` */
  readonly end: (run: string, manifest: ExportSummary, accountsDigest: string) => Promise<ImportEnded>;
};

export const createImporter = (options: ImportOptions): Importing => {
  const { log, media } = options;
  const inTurn = oneAfterTheOther();
  let present: { readonly importer: Importer; readonly state: ImportState | undefined } | undefined;

  /** Continues from the known state. After a failure the state is not known and is read from the log. */
  const continueImport = async (importer: Importer, work: (state: ImportState) => Promise<ImportState>): Promise<ImportState> => {
    const known = present?.importer.incarnation === importer.incarnation ? present.state : undefined;
    present = { importer, state: undefined };
    const state = await work(known ?? (await readState(log, importer.incarnation)));
    present = { importer, state };
    return state;
  };
  const asCurrentRun = (importer: Importer, work: (state: ImportState) => Promise<ImportState>): Promise<ImportState> =>
    inTurn(() => {
      if (present && present.importer.run !== importer.run) throw conflict('Another import has begun meanwhile.');
      return continueImport(importer, work);
    });

  return {
    begin: (run, manifest) =>
      inTurn(async () => reached(await continueImport({ run, incarnation: manifest.incarnation }, (state) => begun(log, state, manifest)))),
    missingFiles: async (names) => ({ missing: await missingOf(media, names) }),
    markErased: (names) => markErased(media, names),
    addFile: (name, bytes) => addFile(media, name, bytes),
    addEvents: async (batch) => reached(await asCurrentRun(batch, (state) => addBatch(log, state, batch))),
    end: async (run, manifest, accountsDigest) => {
      let comparison: Comparison | undefined;
      const { ended } = await asCurrentRun({ run, incarnation: manifest.incarnation }, async (state) => {
        const outcome = await compareAndEnd(options, state, manifest, accountsDigest);
        comparison = outcome.comparison;
        return outcome.state;
      });
      if (comparison === undefined) throw new Error('The import was not compared with its export.');
      return { ...comparison, ended: ended !== undefined };
    },
  };
};

const reached = ({ events, files, digest, ended }: ImportState): Reached => ({ events, files, digest, ended: ended !== undefined });

const begun = async (log: EventLog, state: ImportState, manifest: ExportSummary): Promise<ImportState> => {
  if (state.events > manifest.events.count)
    throw conflict('This export is older than the import: more events were already imported from this installation.');
  if (state.ended && state.events < manifest.events.count) throw conflict('The import from this installation has ended.');
  await nameImport(log, manifest.incarnation);
  return reserveIds(log, state, manifest);
};

const missingOf = async (media: Media, names: readonly string[]): Promise<readonly string[]> => {
  const missing: string[] = [];
  for (let from = 0; from < names.length; from += filesAskedAtOnce) {
    const some = names.slice(from, from + filesAskedAtOnce);
    const stored = await Promise.all(some.map((name) => media.get(name)));
    missing.push(...some.filter((_, nth) => stored[nth] === undefined));
  }
  return missing;
};

/** @throws HttpError 409 if a file has one of the names: an export must not erase what it has not brought; MediaUnavailable */
const markErased = async (media: Media, names: readonly string[]): Promise<Nothing> => {
  const mark = async (name: string): Promise<void> => {
    if (mediaTypeOf(name) === undefined) throw badRequest('This is not a valid file name.');
    const stored = await media.get(name);
    if (stored !== undefined && stored !== 'erased') throw conflict(`${name}: a file has this name. It was not erased.`);
    await media.erase(name);
  };
  for (let from = 0; from < names.length; from += filesAskedAtOnce) await Promise.all(names.slice(from, from + filesAskedAtOnce).map(mark));
  return {};
};

const addFile = async (media: Media, name: string, bytes: Buffer) => {
  if (mediaTypeOf(name) === undefined) throw badRequest('This is not a valid file name.');
  if (bytes.length === 0) throw badRequest(`${name}: the file is empty.`);
  try {
    await media.put(name, bytes);
  } catch (error) {
    throw error instanceof MediaNameTaken ? conflict(`${name}: another file has this name. Nothing was overwritten.`) : error;
  }
  return { sha256: hash('sha256', bytes, 'hex') };
};

const addBatch = async (
  log: EventLog,
  state: ImportState,
  { incarnation, first, digest: before, files, events }: Batch,
): Promise<ImportState> => {
  if (state.ranges === undefined) throw conflict('The import has not begun.');
  if (first > state.events) throw conflict(`The import has reached event ${state.events}, which is before ${first}.`);
  const runs = splitIntoRuns(events, state.ranges);
  const all = runs.flatMap((run) => run.events);
  const known = state.events - first;
  const digest = createEventDigest({ count: first, value: before });
  for (const event of all.slice(0, known)) digest.add(event);
  if (known <= all.length && digest.value() !== state.digest) throw conflict('The events imported so far are not those of this export.');
  const fresh = all.slice(known);
  if (fresh.length === 0 && files <= state.files) return state;
  await expectOwn(log, state, fresh);
  const position = await appendRuns(log, known === 0 ? runs : splitIntoRuns(fresh, state.ranges));
  const sum = eventSum(state.sum);
  for (const event of fresh) {
    digest.add(event);
    sum.add(event);
  }
  const progress = {
    events: state.events + fresh.length,
    files: Math.max(files, state.files),
    digest: fresh.length === 0 ? state.digest : digest.value(),
    sum: sum.value(),
    position: Math.max(position, state.position),
    accounts: newAccounts(fresh, state),
  };
  return record(log, incarnation, state, { ImportReached: progress });
};

const newAccounts = (events: readonly RecordedEvent[], { accounts }: ImportState): readonly string[] => [
  ...new Set(events.map(({ envelope }) => envelope.account).filter((account) => !accounts.has(account))),
];

const compareAndEnd = async ({ log, media }: ImportOptions, state: ImportState, manifest: ExportSummary, accountsDigest: string) => {
  const { events, incarnation, final } = manifest;
  if (state.events !== events.count || state.digest !== events.digest) {
    throw conflict(`${state.events} events were imported: they are incomplete, or not those of the export.`);
  }
  if (state.ended) return { comparison: state.ended, state };
  const { comparison, erased, undos } = await compare(log, media, state, manifest, accountsDigest);
  if (!final || !comparison.equal || !comparison.inOrder) return { comparison, state };
  await drop(erased, log);
  await continueUndos(undos, log);
  return { comparison, state: await record(log, incarnation, state, { ImportEnded: { comparison } }) };
};

/** Drops the envelopes of the erased events at the beginning of each stream; the summary contains them. The last event of the stream stays,
 * to keep its revision. */
const drop = async (erased: Erased, log: EventLog): Promise<void> => {
  for (const [stream, { count, last }] of erased) {
    const before = Math.min(count, last);
    if (before > 0) await log.eraseBefore(stream, before, await summarize(log, stream, before));
  }
};

/** Lists the undo jobs that writes were closed on: the cluster continues them. A job that is listed twice is run once. */
const continueUndos = async (undos: UnfinishedUndos, log: EventLog): Promise<void> => {
  const open = createOpenUndos(log);
  for (const [undo, account] of undos) await open.list(undo, account, false);
};

const oneAfterTheOther = (): (<Result>(work: () => Promise<Result>) => Promise<Result>) => {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
};
