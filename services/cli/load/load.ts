import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Api, openApi, withCorrelation } from '../client/api.ts';
import type { Operator } from '../client/operator.ts';
import { asOwnApplication, type Identity } from '../client/own-application.ts';
import { loadInFlight } from '../limits.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import { grouped } from '../terminal/output.ts';
import type { Progress } from '../terminal/progress.ts';
import { type Changeset, checkResumed, openChangeset } from './changeset.ts';
import { csvRows } from './csv.ts';
import type { Mark, Refusal } from './ledger.ts';
import { ndjsonRows } from './ndjson.ts';
import { type Note, noteFile, readNote, resume, writeNote } from './note.ts';
import type { Row } from './row.ts';
import { runLoad } from './run.ts';
import { sendRow } from './sending.ts';

export type LoadOrder = {
  readonly file: string;
  readonly account: string;
  /** Where given, the rows form a changeset. */
  readonly changeset?: Changeset | undefined;
  /** The directory in which progress is saved. */
  readonly notes: string;
  readonly progress: (bytes: number) => Progress;
  /** Called before the first row is sent, with the `Correlation-Id` of the load. */
  readonly onStart: (correlation: string, progress: Progress) => void;
  readonly onRefused: (refusal: Refusal, progress: Progress) => void;
  readonly warn: (text: string) => void;
  readonly signal: AbortSignal;
};

/** The counts of the whole file, including the rows of earlier runs. `seconds` and `perSecond` are of this run. */
export type Summary = {
  /** False where the load was interrupted and rows are left. */
  readonly complete: boolean;
  readonly rows: number;
  readonly created: number;
  readonly refused: number;
  /** The number of rows that earlier runs processed. */
  readonly resumedAfter: number;
  /** The `Correlation-Id` of the load, the same as in earlier runs. */
  readonly correlation: string;
  readonly seconds: number;
  readonly perSecond: number;
};

const readers: Readonly<Record<string, (file: string, warn: (text: string) => void) => AsyncGenerator<Row>>> = {
  '.ndjson': ndjsonRows,
  '.jsonl': ndjsonRows,
  '.csv': csvRows,
};

/** Creates a pinpoint from every row of a file, through the API. */
export const load = async (operator: Operator, order: LoadOrder): Promise<Summary> => {
  const startedMs = performance.now();
  const read = readers[extname(order.file).toLowerCase()];
  if (read === undefined) throw new CommandFailed('usage', `${order.file}: the name must end in ${Object.keys(readers).join(', ')}.`);
  const { size, digest } = await fingerprint(order.file);
  const { api: url, incarnation } = await operator.request('GET /operator/status');
  // Without it, the saved progress of an earlier run cannot be checked.
  if (incarnation === undefined) throw new CommandFailed('unreachable', 'The event log does not answer.');
  const noted = noteFile(order.notes, digest, order.account);
  const earlier = await readNote(noted);
  const from = resume(earlier, noted, incarnation, Date.now());
  checkResumed(earlier, order.changeset);

  const progress = order.progress(size);
  // Rows that are sent again need the idempotency keys of the earlier run.
  const keyed = earlier?.open ? earlier.application : undefined;
  const opens = earlier === undefined ? order.changeset : undefined;
  const application = asOwnApplication(operator, { ...identityOf(order.account, opens !== undefined), id: keyed });
  const api = openApi({ url, credentials: application.credentials, inFlight: loadInFlight });
  try {
    const { correlation, changeset } = earlier ?? (await begin(api, opens));
    const about = {
      file: resolve(order.file),
      account: order.account,
      application: await application.id(),
      ...{ incarnation, correlation, changeset },
    };
    const sending = withCorrelation(api, correlation);
    order.onStart(correlation, progress);
    const { mark, complete } = await runLoad({
      rows: read(order.file, order.warn),
      from,
      send: (row) => sendRow(sending, digest, row),
      note: async (at, open) => writeNote(noted, { ...about, ...at, notedAt: new Date().toISOString(), open }),
      onRefused: (refusal) => order.onRefused(refusal, progress),
      onMark: (at) => progress.update(at.end, `${grouped(at.row)} rows, ${grouped(at.refused)} refused`),
      signal: order.signal,
    });
    return { ...counts(from, mark, complete, (performance.now() - startedMs) / 1_000), correlation };
  } finally {
    progress.stop();
    api.close();
    await application.leave();
  }
};

/** Returns the correlation of a load that begins: the id of its changeset, where it has one. */
const begin = async (api: Api, changeset: Changeset | undefined): Promise<Pick<Note, 'correlation' | 'changeset'>> =>
  changeset === undefined
    ? { correlation: randomUUID(), changeset: false }
    : { correlation: await openChangeset(api, changeset), changeset: true };

const fingerprint = async (file: string): Promise<{ size: number; digest: string }> => {
  try {
    const hash = createHash('sha256');
    await pipeline(createReadStream(file), hash);
    return { size: (await stat(file)).size, digest: hash.digest('hex') };
  } catch (error) {
    throw new CommandFailed('usage', `${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
};

/** The application that loads into an account. It is kept, because its idempotency keys are its own. */
const identityOf = (account: string, opensChangeset: boolean): Identity => ({
  account,
  name: 'waymark load',
  scopes: opensChangeset ? ['read', 'write', 'audit'] : ['read', 'write'],
});

const counts = (from: Mark, mark: Mark, complete: boolean, seconds: number): Omit<Summary, 'correlation'> => ({
  complete,
  rows: mark.row,
  created: mark.created,
  refused: mark.refused,
  resumedAfter: from.row,
  seconds: Math.round(seconds * 1_000) / 1_000,
  perSecond: Math.round((mark.row - from.row) / seconds),
});
