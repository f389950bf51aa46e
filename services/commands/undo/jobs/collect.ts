import type { ScopedChange, UndoScope } from '@waymark/history/reading/undo/undo-questions.ts';
import type { StoredUndoJob } from '@waymark/history/undo-jobs/stored-jobs.ts';
import { unavailable } from '@waymark/http/errors.ts';
import { applicationsMax, changesMax, changesTogether, objectChangesMax } from './limits.ts';
import type { UndoJobPorts } from './ports.ts';

/** What a job undoes. */
export type CollectedChanges = {
  readonly scope: UndoScope;
  /** The revisions of the changes by stream, in ascending order. */
  readonly objects: ReadonlyMap<string, readonly number[]>;
  readonly changes: number;
  readonly first: string | null;
  readonly last: string | null;
  readonly applications: readonly string[];
};

/** An event that the job has appended. */
export type OwnEvent = { readonly event: string; readonly revision: number };

type Asked = Pick<UndoJobPorts, 'askHistory'>;

/** Returns the changes that a job undoes; undefined if they are more than `changesMax`, or those of an object more than `objectChangesMax`.
 * @throws HistoryUnavailable, HttpError 503 */
export const collectChanges = async (ports: Asked, { start }: StoredUndoJob): Promise<CollectedChanges | undefined> => {
  const scope = await scopeOf(ports, start);
  const objects = new Map<string, number[]>();
  const applications = new Set<string>();
  let changes = 0;
  let [first, last]: [string | null, string | null] = [null, null];
  for await (const { stream, revision, actor, time } of changesIn(ports, start.account, scope)) {
    if (!isObject(stream)) continue;
    changes += 1;
    if (changes > changesMax) return undefined;
    if (pushTo(objects, stream, revision) > objectChangesMax) return undefined;
    if (applications.size < applicationsMax) applications.add(actor);
    if (first === null || first > time) first = time;
    if (last === null || last < time) last = time;
  }
  for (const revisions of objects.values()) revisions.sort((one, other) => one - other);
  return { scope, objects, changes, first, last, applications: [...applications].sort() };
};

/** Changesets, orders and jobs are no objects: they have no state that could be set back. */
const isObject = (stream: string): boolean => !/^(changeset|orders|undo)-/.test(stream);

type Start = StoredUndoJob['start'];

/** Returns the scope of a job that starts.
 * @throws HttpError 503 if the history does not have the last event that the job takes into account */
export const scopeOf = async ({ askHistory }: Asked, start: Start): Promise<UndoScope> => {
  const reply = await askHistory({ type: 'place-of-event', account: start.account, event: start.through });
  if (reply.outcome !== 'place-of-event' || reply.place === undefined)
    throw unavailable('The history does not have the event of the start.');
  return {
    correlation: start.correlation,
    application: start.application,
    sinceMs: start.from === null ? 0 : Date.parse(start.from),
    untilMs: start.to === null ? null : Date.parse(start.to),
    through: reply.place.position,
  };
};

/** Yields the changes in a scope, newest first. */
async function* changesIn({ askHistory }: Asked, account: string, scope: UndoScope): AsyncGenerator<ScopedChange> {
  for (let before: number | null = scope.through + 1; before !== null; ) {
    const reply = await askHistory({ type: 'undo-scope', account, scope, before, limit: changesTogether });
    if (reply.outcome !== 'undo-scope') throw new Error(`"${reply.outcome}" is no reply to a question about a scope`);
    yield* reply.changes;
    before = reply.next;
  }
}

/** Returns the events that the job has appended before, by stream.
 * @throws HistoryUnavailable */
export const collectOwn = async (ports: Asked, { id, start }: StoredUndoJob): Promise<ReadonlyMap<string, readonly OwnEvent[]>> => {
  const scope: UndoScope = { correlation: id, application: null, sinceMs: 0, untilMs: null, through: Number.MAX_SAFE_INTEGER - 1 };
  const own = new Map<string, OwnEvent[]>();
  for await (const { stream, revision, event, cause } of changesIn(ports, start.account, scope)) {
    // A client can choose a correlation, but no cause.
    if (cause === id) pushTo(own, stream, { event, revision });
  }
  return own;
};

/** @returns the number of values that the key now has */
const pushTo = <Value>(all: Map<string, Value[]>, key: string, value: Value): number => {
  const values = all.get(key);
  if (values !== undefined) return values.push(value);
  all.set(key, [value]);
  return 1;
};
