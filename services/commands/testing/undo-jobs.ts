import { randomUUID } from 'node:crypto';
import type { NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import type { UndoLine } from '@waymark/domain/undo/events.ts';
import { type EventLog, LogUnavailable } from '@waymark/event-log/event-log.ts';
import { operators } from '@waymark/event-log/seal.ts';
import { readUndoJob, type StoredUndoJob, sealUndoEvent, streamOfJob, undoLinesOf } from '@waymark/history/undo-jobs/stored-jobs.ts';
import { createCommands } from '../service.ts';
import { takeUndoLease } from '../undo/jobs/lease.ts';
import type { UndoJobPorts } from '../undo/jobs/ports.ts';
import { runJob } from '../undo/jobs/run-job.ts';
import { openStores } from './stores.ts';

const application = { state: { status: 'active', account: '', name: '', scopes: ['audit', 'write'], secrets: [] } } as const;
const known = { ...application, revision: 0, suspended: -1, confirmedAtMs: 0, changes: 0 };

const eventsTogether = 500;

/** Opens what a job needs, over a log with some events. */
export const openPorts = async (directory: string, events: readonly RecordedEvent[]) => {
  const stores = await openStores(directory);
  const { log } = stores.options;
  for (const { stream, revision, all } of runsOf(events)) {
    const appended = await log.append(stream, all, revision === 0 ? 'none' : revision - 1, { imported: true });
    expect(appended.outcome).toBe('appended');
  }
  const media = {
    ...stores.options.media,
    get: async () => ({ type: 'image/png', size: 1, pieceBytes: 1, content: async function* () {} }),
  };
  const commands = createCommands({ ...stores.options, media });
  const ports: UndoJobPorts = { ...commands, applications: { find: async () => known } };
  return { ports, close: stores.close };
};

type Run = { readonly stream: string; readonly revision: number; readonly all: NewEvent[] };

/** Returns the events that have contents, those of a stream that follow each other together. */
const runsOf = (events: readonly RecordedEvent[]): readonly Run[] => {
  const runs: Run[] = [];
  for (const { stream, revision, envelope, salt, content } of events) {
    if (salt === null || content === null) continue;
    const last = runs.at(-1);
    const event = { envelope, salt, content };
    if (last?.stream === stream && last.all.length < eventsTogether) last.all.push(event);
    else runs.push({ stream, revision, all: [event] });
  }
  return runs;
};

/** Starts a job. */
export const started = async (
  { log, askHistory }: UndoJobPorts,
  account: string,
  correlation: string,
  isDryRun: boolean,
): Promise<string> => {
  const id = randomUUID();
  const last = await askHistory({ type: 'place-of-event', account, event: null });
  const through = last.outcome === 'place-of-event' ? last.place?.event : undefined;
  const scope = { correlation, application: null, from: null, to: null };
  const fact = { type: 'UndoStarted', account, undo: id, ...scope, through: through ?? '' } as const;
  await log.append(streamOfJob(id, isDryRun), [sealUndoEvent(fact, { account, origin: operators, isDryRun, id })], 'none');
  return id;
};

const stored = async (log: EventLog, id: string): Promise<StoredUndoJob> => {
  const job = await readUndoJob(log, id);
  if (job === undefined) throw new Error(`There is no job ${id}.`);
  return job;
};

/** Runs a job to its end. After each of some numbers of appends, the log is unavailable once. */
export const runToEnd = async (ports: UndoJobPorts, id: string, failAfter: readonly number[]): Promise<readonly UndoLine[]> => {
  for (const appendsMax of [...failAfter, Number.POSITIVE_INFINITY]) {
    const job = await stored(ports.log, id);
    const lease = await takeUndoLease(ports.log, id, true);
    if (lease === undefined || job.end !== undefined) break;
    let appends = 0;
    const append: EventLog['append'] = async (...order) => {
      appends += 1;
      if (appends > appendsMax) throw new LogUnavailable('The test interrupts the job.');
      return ports.log.append(...order);
    };
    const running = runJob({ ...ports, log: { ...ports.log, append } }, job, lease, new AbortController().signal);
    await running.catch((error: unknown) => {
      if (!(error instanceof LogUnavailable)) throw error;
    });
    await lease.close();
  }
  const job = await stored(ports.log, id);
  expect(job.end).toMatchObject({ outcome: 'done' });
  const lines: UndoLine[] = [];
  for await (const line of undoLinesOf(ports.log, job)) lines.push(line);
  return lines;
};
