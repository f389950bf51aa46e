import type { AggregateTypes } from '@waymark/domain/decider.ts';
import { appendOnce, appendShared } from '@waymark/event-log/append-once.ts';
import type { EventLog, Revision } from '@waymark/event-log/event-log.ts';
import type { Aggregate } from './aggregates.ts';
import { answerDecided } from './answer-decided.ts';
import { type Decided, decideInTurn, type ExecutionPorts } from './decide-in-turn.ts';
import type { Base, Confirmed, Job, Left } from './job.ts';
import { type LoadedState, load, startOf } from './load.ts';
import { loadWithMembers, noPinpoints } from './members.ts';

/** Requests for one stream. */
export type Batch<Of extends AggregateTypes> = {
  readonly stream: string;
  readonly jobs: readonly Job<Of>[];
  /** The stream as the batch before has left it. */
  readonly left: Left<Of> | undefined;
  /** True after a conflict: the state must come from the log. */
  readonly fresh: boolean;
};

type Attempt<Of extends AggregateTypes> = {
  readonly conflict: boolean;
  /** The requests that are not answered yet. */
  readonly waiting: readonly Job<Of>[];
  readonly left: Left<Of> | undefined;
};

/** Loads the state, decides the requests one after the other, each on the state that the previous one left, and appends all their events at
 * the revision that was read. Answers the requests only after that: a refusal and a no-op are valid only if the log confirms the revision.
 * @throws LogUnavailable, AppendUndecided */
export const attemptBatch = async <Of extends AggregateTypes>(
  ports: ExecutionPorts,
  aggregate: Aggregate<Of>,
  batch: Batch<Of>,
): Promise<Attempt<Of>> => {
  const { stream, left } = batch;
  const base = await loadBase(ports, aggregate, batch);
  const { decided, beyond, state } = await decideInTurn(ports, aggregate, stream, base, batch.jobs);
  const again = (conflict: boolean, jobs: readonly Job<Of>[]): Attempt<Of> => ({ conflict, waiting: [...jobs, ...beyond], left });

  const jobs = decided.map(({ job }) => job);
  const lost = await takeKeys(decided, base.loaded.revision);
  if (lost.size > 0)
    return again(
      false,
      jobs.filter((job) => !lost.has(job)),
    );

  const placed = await appendDecided(ports.log, stream, decided, base.loaded);
  if (placed === 'conflict') return again(true, jobs);
  await Promise.all(decided.map((one) => answerDecided(ports.log, stream, aggregate, one, placed)));
  const { revision, position } = placed;
  const loaded = decided.some(isShared) ? undefined : { state, revision, position };
  return { conflict: false, waiting: beyond, left: { revision, loaded } };
};

/** Loads the state for a batch with one query at most. A state that the batch before has left needs none, unless the requests name members. */
const loadBase = async <Of extends AggregateTypes>(
  ports: ExecutionPorts,
  aggregate: Aggregate<Of>,
  { jobs, left, fresh }: Batch<Of>,
): Promise<Base<Of>> => {
  const [{ request }] = jobs as readonly [Job<Of>];
  const named = jobs.flatMap((job) => job.request.members ?? []);
  if (jobs.some((job) => job.request.members !== undefined)) {
    return loadWithMembers(ports, aggregate, request.id, [...new Set(named)], fresh ? 'all' : (left?.revision ?? 'none'));
  }
  if (request.found === 'new') return { loaded: startOf(aggregate), known: noPinpoints };
  if (fresh) return { loaded: await load(ports, aggregate, request.id), known: noPinpoints };
  return { loaded: left?.loaded ?? (await load(ports, aggregate, request.id, request.found)), known: noPinpoints };
};

/** Whether other runs of a request may append its event. */
const isShared = <Of extends AggregateTypes>(decided: Decided<Of>): boolean =>
  decided.outcome === 'accepted' && decided.event !== undefined && decided.job.request.claim.key !== undefined;

/** Stores the decisions of the requests that have an idempotency key and append an event, each in its claim. A claim names the last
 * revision that the log had when the batch was loaded.
 * @returns the requests that failed: another process has taken the claim, or the log is unavailable */
const takeKeys = async <Of extends AggregateTypes>(decided: readonly Decided<Of>[], revision: Revision): Promise<ReadonlySet<Job<Of>>> => {
  const lost = new Set<Job<Of>>();
  const take = async ({ job }: Decided<Of>): Promise<void> => {
    const { claim, id } = job.request;
    try {
      await claim.key?.take(id, revision);
    } catch (error) {
      lost.add(job);
      job.reject(error);
    }
  };
  const shared = decided.filter(isShared);
  if (shared.length > 0) await Promise.all(shared.map(take));
  return lost;
};

/** Appends the events of a batch in one write. Without an event, asks the log to confirm the revision. */
const appendDecided = async <Of extends AggregateTypes>(
  log: EventLog,
  stream: string,
  decided: readonly Decided<Of>[],
  { revision, position }: LoadedState<Of['state']>,
): Promise<Confirmed | 'conflict'> => {
  const events = decided.flatMap((one) => (one.outcome === 'accepted' && one.event ? [one.event] : []));
  if (events.length > 0) {
    const appended = await (decided.some(isShared) ? appendShared : appendOnce)(log, stream, events, revision);
    return appended.outcome === 'conflict' ? 'conflict' : appended;
  }
  if (decided.length > 0 && !(await isLast(log, stream, revision))) return 'conflict';
  return { revision, position };
};

const isLast = async (log: EventLog, stream: string, revision: Revision): Promise<boolean> => {
  const [last = 'none'] = await log.lastRevisions([stream]);
  return last === revision;
};
