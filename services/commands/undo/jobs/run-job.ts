import { resourceOfStream } from '@waymark/domain/streams.ts';
import type { UndoLine } from '@waymark/domain/undo/events.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import type { UndoProgress } from '@waymark/history/undo-jobs/notes.ts';
import { type StoredUndoJob, undoLinesOf } from '@waymark/history/undo-jobs/stored-jobs.ts';
import { type CollectedChanges, collectChanges, collectOwn } from './collect.ts';
import type { UndoLease } from './lease.ts';
import { objectsTogether } from './limits.ts';
import type { UndoJobPorts } from './ports.ts';
import { createReports, type Reports } from './reports.ts';
import { type ObjectJob, type ObjectToUndo, undoObject } from './undo-object.ts';
import { whyStopped } from './why-stopped.ts';

/** The process stops: another one continues the job. */
export class RunInterrupted extends Error {}

/** A run of a job. */
type Run = {
  readonly of: ObjectJob;
  readonly lease: UndoLease;
  readonly reports: Reports;
  readonly signal: AbortSignal;
  /** The objects that an earlier run has reported. They are decided again, because other objects depend on them, and not changed again. */
  readonly reported: ReadonlySet<string>;
  /** Pinpoints that the job brings back, and pinpoints to which objects refer that stay. */
  readonly restored: Set<number>;
  readonly inUse: Set<number>;
  progress: UndoProgress;
  /** The position of the last event that the run has appended. */
  position: Position;
};

/** Runs a job to its end, also one that another run has begun.
 * @throws RunInterrupted, LeaseLost, HttpError 503, Unavailable */
export const runJob = async (ports: UndoJobPorts, job: StoredUndoJob, lease: UndoLease, signal: AbortSignal): Promise<void> => {
  const found = await collectChanges(ports, job);
  const reports = createReports(ports.log, job);
  if (found === undefined) {
    await reports.end('too-many-changes');
    return;
  }
  const reported = new Set<string>();
  let progress = progressAtStart(found);
  for await (const line of undoLinesOf(ports.log, job)) {
    reported.add(line.object);
    progress = counted(progress, line);
  }
  const of = { ports, job, scope: found.scope };
  const sets = { reported, restored: new Set<number>(), inUse: new Set<number>() };
  const run: Run = { of, lease, reports, signal, ...sets, progress, position: 0 };
  await lease.note(progress);
  const reason = await runPhases(run, await objectsOf(ports, job, found)).catch(async (error: unknown) => {
    // Another process need not wait until the lease ends.
    if (error instanceof RunInterrupted) await lease.release(run.progress);
    throw error;
  });
  await reports.flush();
  await lease.note(run.progress);
  await reports.end(reason);
};

const progressAtStart = ({ changes, objects, first, last, applications }: CollectedChanges): UndoProgress => ({
  ...{ changes, objects: objects.size, undone: 0, partly: 0, kept: 0, first, last, applications },
});

const counted = (progress: UndoProgress, { outcome }: UndoLine): UndoProgress => ({ ...progress, [outcome]: progress[outcome] + 1 });

const objectsOf = async (ports: UndoJobPorts, job: StoredUndoJob, found: CollectedChanges): Promise<readonly ObjectToUndo[]> => {
  const own = await collectOwn(ports, job);
  return [...found.objects].map(([stream, revisions]) => ({ stream, revisions, own: own.get(stream) ?? [] })).sort(byStream);
};

const byStream = (one: ObjectToUndo, other: ObjectToUndo): number =>
  numberOf(one) - numberOf(other) || (one.stream < other.stream ? -1 : 1);

const numberOf = ({ stream }: ObjectToUndo): number => resourceOfStream(stream)?.id ?? 0;

/** Processes all objects. Pinpoints come back before the lists and happenings that need them. Deletions process happenings first, then lists
 * and pinpoints: a pinpoint to which an object refers that stays is not deleted.
 * @returns why the job stops; null if it is done */
const runPhases = async (run: Run, objects: readonly ObjectToUndo[]): Promise<string | null> => {
  const { pinpoint = [], list = [], happening = [], other = [] } = Object.groupBy(objects, kindOf);
  const deferred: Record<'pinpoint' | 'list', readonly ObjectToUndo[]> = { pinpoint: [], list: [] };
  const phases: readonly (() => Promise<PhaseEnd>)[] = [
    () => runPhase(run, other, false),
    async () => keptIn(deferred, 'pinpoint', await runPhase(run, pinpoint, true)),
    async () => keptIn(deferred, 'list', await runPhase(run, list, true)),
    () => runPhase(run, happening, false),
    () => runPhase(run, deferred.list, false),
    () => runPhase(run, deferred.pinpoint, false),
  ];
  for (const phase of phases) {
    const { reason } = await phase();
    if (reason !== null) return reason;
    // The next phase looks up what this one has changed.
    await run.of.ports.visible(run.of.job.start.account, run.position);
  }
  return null;
};

/** Why a job stops, or null; and the objects that are to be deleted later. */
type PhaseEnd = { readonly reason: string | null; readonly deferred: readonly ObjectToUndo[] };

const keptIn = (all: Record<string, readonly ObjectToUndo[]>, kind: string, end: PhaseEnd): PhaseEnd => {
  all[kind] = end.deferred;
  return end;
};

const kindOf = ({ stream }: ObjectToUndo): 'pinpoint' | 'list' | 'happening' | 'other' => {
  const kind = resourceOfStream(stream)?.resource ?? 'category';
  return kind === 'category' ? 'other' : kind;
};

const runPhase = async (run: Run, objects: readonly ObjectToUndo[], defersDeletion: boolean): Promise<PhaseEnd> => {
  const deferred: ObjectToUndo[] = [];
  for (let from = 0; from < objects.length; from += objectsTogether) {
    if (run.signal.aborted) throw new RunInterrupted();
    const reason = await whyStopped(run.of);
    if (reason !== null) return { reason, deferred };
    const some = objects.slice(from, from + objectsTogether);
    const lines = await Promise.all(some.map((object) => processObject(run, object, defersDeletion)));
    if (lines.includes('too-many-changes')) return { reason: 'too-many-changes', deferred };
    for (const [nth, line] of lines.entries()) {
      const object = some[nth];
      if (line === 'deferred' && object !== undefined) deferred.push(object);
      else if (typeof line === 'object' && !run.reported.has(line.object)) await report(run, line);
    }
  }
  return { reason: null, deferred };
};

const processObject = async (
  run: Run,
  object: ObjectToUndo,
  defersDeletion: boolean,
): Promise<UndoLine | 'deferred' | 'too-many-changes'> => {
  const { of, restored, inUse, reported } = run;
  const appends = !of.job.isDryRun && !reported.has(object.stream);
  const processed = await undoObject(of, object, { appends, defersDeletion, restored, inUse });
  if (processed === 'deferred' || processed === 'too-many-changes') return processed;
  const { id = 0 } = resourceOfStream(object.stream) ?? {};
  if (processed.isRestored) restored.add(id);
  // An object that is undone refers to what it referred to before the changes.
  if (processed.line.outcome !== 'undone') for (const pinpoint of processed.pinpoints) inUse.add(pinpoint);
  run.position = Math.max(run.position, processed.position);
  return processed.line;
};

/** Adds a line to the reports. */
const report = async (run: Run, line: UndoLine): Promise<void> => {
  run.progress = counted(run.progress, line);
  run.lease.progressed(run.progress);
  await run.reports.add(line);
};
