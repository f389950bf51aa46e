import { setTimeout as pause } from 'node:timers/promises';
import { resourceOfStream } from '@waymark/domain/streams.ts';
import type { UndoLine } from '@waymark/domain/undo/events.ts';
import { type Kept, nothingKept } from '@waymark/domain/undo/plan.ts';
import { appendShared } from '@waymark/event-log/append-once.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import { readEvents } from '@waymark/event-log/read-stream.ts';
import { sealFact } from '@waymark/event-log/seal.ts';
import type { UndoReply, UndoScope } from '@waymark/history/reading/undo/undo-questions.ts';
import type { StoredUndoJob } from '@waymark/history/undo-jobs/stored-jobs.ts';
import { unavailable } from '@waymark/http/errors.ts';
import { happenings } from '../../execution/aggregates.ts';
import { tooManyChanges } from '../../execution/job.ts';
import { load } from '../../execution/load.ts';
import { historyPauseMs, turnMs } from '../../limits.ts';
import { confirmValues } from '../confirm-values.ts';
import { type DecidedSource, type DecidedStep, decideSource } from '../decide-source.ts';
import type { UndoneObject } from '../steps.ts';
import type { OwnEvent } from './collect.ts';
import { undoEventId } from './event-ids.ts';
import { eventsTogether, lineNamesMax, membersAppendedTogether } from './limits.ts';
import type { UndoJobPorts } from './ports.ts';

/** An object whose changes a job undoes. */
export type ObjectToUndo = {
  readonly stream: string;
  /** The revisions of the changes, in ascending order. */
  readonly revisions: readonly number[];
  /** What the job has appended before. */
  readonly own: readonly OwnEvent[];
};

/** How an object is processed. */
export type ObjectMode = {
  /** False in a dry run: nothing is appended. */
  readonly appends: boolean;
  /** Whether a deletion has to wait for other objects. */
  readonly defersDeletion: boolean;
  /** Pinpoints that the job brings back: they count as present. */
  readonly restored: ReadonlySet<number>;
  /** Pinpoints to which objects refer that are kept: they are not deleted. */
  readonly inUse: ReadonlySet<number>;
};

/** What has become of an object. `position`: of its last event; 0 if readers see it already. `pinpoints`: those that it refers to. */
export type ProcessedObject = {
  readonly line: UndoLine;
  readonly position: Position;
  readonly pinpoints: readonly number[];
  readonly isRestored: boolean;
};

export type ObjectJob = { readonly ports: UndoJobPorts; readonly job: StoredUndoJob; readonly scope: UndoScope };

/** Undoes the changes of an object. While the history is behind the log, or others change the object, it decides again, for `turnMs` at most.
 * @throws HttpError 503, HistoryUnavailable, LogUnavailable, MediaUnavailable, AppendUndecided */
export const undoObject = async (
  of: ObjectJob,
  object: ObjectToUndo,
  mode: ObjectMode,
): Promise<ProcessedObject | 'deferred' | 'too-many-changes'> => {
  const named = resourceOfStream(object.stream);
  if (named === undefined) return untouched(object, 'never-undone');
  const { ports, job } = of;
  const { account } = job.start;
  const subject: UndoneObject = { account, kind: named.resource, id: named.id };
  const own = [...object.own];
  for (const untilMs = performance.now() + turnMs; ; ) {
    const asked = { ...object, own };
    const source = await ask(of, asked);
    if (source === 'too-many-changes') return source;
    if (source === 'erased') return { ...untouched(asked, 'erased'), pinpoints: await pinpointOf(ports, subject) };
    await ports.owners?.confirm(object.stream, account);
    const decided = await decideSource(
      { ...ports, restored: mode.restored, lookups: withRestored(ports.lookups, mode.restored) },
      subject,
      source,
    );
    if (decided !== 'conflict') {
      const isDeletion = decided.steps.some(({ fact }) => fact.type.endsWith('Deleted'));
      if (isDeletion && mode.defersDeletion) return 'deferred';
      if (isDeletion && subject.kind === 'pinpoint' && mode.inUse.has(subject.id)) return untouched(asked, 'in-use');
      const steps = newSteps(of, asked, decided);
      const position = mode.appends ? await append(of, object.stream, source, steps) : decided.position;
      if (position !== 'conflict') return { ...processed(asked, source, decided, mode.appends ? steps : []), position };
    }
    if (performance.now() > untilMs) throw tooManyChanges();
    own.push(...(await ownAfter(of, object.stream, source.last)));
    await pause(historyPauseMs);
  }
};

const ask = async (
  { ports, job, scope }: ObjectJob,
  { stream, revisions, own }: ObjectToUndo,
): Promise<UndoReply | 'erased' | 'too-many-changes'> => {
  const { account } = job.start;
  const all = [...revisions, ...own.map(({ revision }) => revision)].sort((one, other) => one - other);
  const reply = await ports.askHistory({ type: 'undoable', account, stream, revisions: all, job: { scope, cause: job.id } });
  if (reply.outcome === 'erased' || reply.outcome === 'too-many-changes') return reply.outcome;
  // The history is behind the log, which has the changes that it has found before.
  if (reply.outcome !== 'undoable') throw unavailable(`The history answered "${reply.outcome}" for ${stream}.`);
  return reply.isErasing ? 'erased' : reply;
};

/** Returns the steps that the job has not carried out before. */
const newSteps = ({ job }: ObjectJob, { stream, own }: ObjectToUndo, { steps }: DecidedSource): readonly DecidedStep[] => {
  const done = new Set(own.map(({ event }) => event));
  return steps.filter(({ undoes }) => !done.has(undoEventId(job.id, stream, undoes)));
};

/** Appends the events of an object, in parts.
 * @returns the position of the last one; 0 without one */
const append = async (
  { ports, job }: ObjectJob,
  stream: string,
  source: UndoReply,
  steps: readonly DecidedStep[],
): Promise<Position | 'conflict'> => {
  const { account } = job.start;
  const origin = { ...job.origin, correlation: job.id };
  let [expected, position] = [source.last, 0];
  for (const some of partsOf(steps)) {
    for (const { fact, undoes } of ports.owners === undefined ? [] : some) {
      await confirmValues(ports.log, stream, fact, { origins: source.origins, undone: undoes === null ? [] : [undoes] });
    }
    const events = some.map(({ fact, undoes }) =>
      sealFact(fact, { id: undoEventId(job.id, stream, undoes), account, origin, cause: job.id }),
    );
    const appended = await appendShared(ports.log, stream, events, expected);
    if (appended.outcome === 'conflict') return 'conflict';
    ({ revision: expected, position } = appended);
  }
  return position;
};

/** Divides steps into parts that are appended together. */
const partsOf = (steps: readonly DecidedStep[]): readonly (readonly DecidedStep[])[] => {
  const parts: DecidedStep[][] = [];
  let members = 0;
  for (const step of steps) {
    const more = 'pinpoints' in step.fact ? step.fact.pinpoints.length : 0;
    const part = parts.at(-1);
    if (part !== undefined && part.length < eventsTogether && members + more <= membersAppendedTogether) {
      part.push(step);
      members += more;
    } else {
      parts.push([step]);
      members = more;
    }
  }
  return parts;
};

/** Returns the events that the job, possibly in another process, has appended after a revision. */
const ownAfter = async ({ ports, job }: ObjectJob, stream: string, after: number): Promise<readonly OwnEvent[]> => {
  const own: OwnEvent[] = [];
  for await (const { revision, envelope } of readEvents(ports.log.read, stream, after + 1)) {
    if (envelope.cause === job.id) own.push({ event: envelope.id, revision });
  }
  return own;
};

/** @param appended the steps whose events were appended after the last revision of the source */
const processed = (
  { stream, own }: ObjectToUndo,
  source: UndoReply,
  { steps, kept, pinpoints }: DecidedSource,
  appended: readonly DecidedStep[],
): Omit<ProcessedObject, 'position'> => {
  const last = appended.length > 0 ? source.last + appended.length : lastOf(own);
  const isChanged = steps.length > 0 || own.length > 0;
  return {
    line: lineOf(stream, kept, isChanged, last),
    pinpoints,
    isRestored: steps.some(({ fact }) => fact.type === 'PinpointRestored') && source.outcome === 'undoable' && !source.changes.present,
  };
};

const lastOf = (own: readonly OwnEvent[]): number | null => (own.length === 0 ? null : Math.max(...own.map(({ revision }) => revision)));

const lineOf = (object: string, { reason, fields, pinpoints }: Kept, isChanged: boolean, revision: number | null): UndoLine => ({
  object,
  outcome: reason === null ? 'undone' : isChanged ? 'partly' : 'kept',
  revision,
  reason,
  fields,
  pinpoints: pinpoints.slice(0, lineNamesMax),
});

const untouched = ({ stream, own }: ObjectToUndo, reason: string): ProcessedObject => ({
  line: { ...lineOf(stream, nothingKept, false, lastOf(own)), outcome: own.length > 0 ? 'partly' : 'kept', reason },
  ...{ position: 0, pinpoints: [], isRestored: false },
});

/** Returns the pinpoint of a happening whose history is erased, so that it cannot be undone. */
const pinpointOf = async (ports: UndoJobPorts, { kind, id }: UndoneObject): Promise<readonly number[]> => {
  if (kind !== 'happening') return [];
  const { state } = await load(ports, happenings, id);
  return state.status === 'present' ? [state.fields.pinpoint] : [];
};

const withRestored = (lookups: UndoJobPorts['lookups'], restored: ReadonlySet<number>): UndoJobPorts['lookups'] => ({
  ...lookups,
  placeAt: async (account, pinpoint) => (restored.has(pinpoint) ? 'present' : lookups.placeAt(account, pinpoint)),
  pinpointExists: async (pinpoint) => restored.has(pinpoint) || lookups.pinpointExists(pinpoint),
});
