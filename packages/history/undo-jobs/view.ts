import { undoingStream } from '@waymark/domain/streams.ts';
import type { UndoLine } from '@waymark/domain/undo/events.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { readEnd } from '@waymark/event-log/read-stream.ts';
import { apiName, inApiOrder } from '../reading/api-values.ts';
import { collections } from '../reading/collections.ts';
import { noProgress, type UndoProgress, undoNoteIn } from './notes.ts';
import { readUndoJob, type StoredUndoJob, undoLinesIn, undoLinesOf } from './stored-jobs.ts';

/** A job as clients get it. `next`: the number of the next page of its report; null at the end. */
export type UndoJobView = { readonly job: object; readonly report: object; readonly next: number | null };

type Log = Pick<EventLog, 'read' | 'lastRevisions'>;

/** Returns a job of an account with a page of its report; undefined if the account has no such job, or the job no such page.
 * @param page from 1
 * @throws LogUnavailable */
export const viewUndoJob = async (log: Log, account: string, id: string, page: number): Promise<UndoJobView | undefined> => {
  const stored = await readUndoJob(log, id);
  if (stored === undefined || stored.start.account !== account) return undefined;
  const [event, following] = await log.read(stored.stream, page);
  const lines = event === undefined ? [] : undoLinesIn(event);
  if (page > 1 && lines.length === 0) return undefined;
  const progress = await progressOf(log, stored);
  const { changes, objects, ...counts } = progress;
  const isNextReport = following !== undefined && undoLinesIn(following).length > 0;
  return {
    job: { ...jobOf(stored), progress: { objects, done: counts.undone + counts.partly + counts.kept } },
    report: { changes, objects, ...counts, results: lines.map(resultOf) },
    next: isNextReport ? page + 1 : null,
  };
};

/** Returns what clients get of a job besides its report. */
const jobOf = ({ id, isDryRun, start, end }: StoredUndoJob): object => ({
  id,
  status: end?.outcome ?? 'running',
  reason: end?.reason ?? null,
  dry_run: isDryRun,
  correlation: start.correlation,
  application: start.application,
  from: start.from,
  to: start.to,
});

/** Returns how far a job is. A job has no notes two days after its end, and where it was imported: its lines are counted. */
const progressOf = async (log: Log, stored: StoredUndoJob): Promise<UndoProgress> => {
  const { event } = await readEnd(log, undoingStream(stored.id));
  const note = event && undoNoteIn(event);
  if (note !== undefined) return note.progress;
  const counts = { undone: 0, partly: 0, kept: 0 };
  for await (const { outcome } of undoLinesOf(log, stored)) counts[outcome] += 1;
  // Only a job that is done has a line for each object.
  const objects = stored.end?.outcome === 'done' ? counts.undone + counts.partly + counts.kept : null;
  return { ...noProgress, ...counts, objects };
};

const resultOf = ({ object, outcome, revision, reason, fields, pinpoints }: UndoLine): object => ({
  ...{ object: objectOf(object), outcome, revision, reason },
  fields: inApiOrder(fields).map(apiName),
  pinpoints,
});

/** Returns how clients name the object of a stream. */
const objectOf = (stream: string): object => {
  const [, prefix = '', id = ''] = /^([a-z]+)-(.*)$/.exec(stream) ?? [];
  const kinds: Readonly<Record<string, string>> = { ...collections, application: 'applications', account: 'accounts' };
  return { kind: kinds[prefix] ?? prefix, id: prefix in collections ? Number(id) : id };
};
