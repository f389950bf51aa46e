import type { AggregateTypes } from '@waymark/domain/decider.ts';
import type { NewEvent } from '@waymark/domain/event.ts';
import type { NotAdded } from '@waymark/domain/list/events.ts';
import { nextRevision, type Revision } from '@waymark/event-log/event-log.ts';
import { sealFact } from '@waymark/event-log/seal.ts';
import { type EntityTags, mayChange } from '@waymark/http/conditional-requests.ts';
import { type HttpError, preconditionFailed } from '@waymark/http/errors.ts';
import { outcomeSoFar } from '../idempotency/outcomes.ts';
import { batchContentBytesMax } from '../limits.ts';
import type { Aggregate } from './aggregates.ts';
import type { ChangeRequest } from './change-request.ts';
import { commonResult } from './common-result.ts';
import { type Base, type Job, tooManyChanges } from './job.ts';
import type { Stores } from './load.ts';
import type { Owners } from './owners.ts';

/** The dependencies of a decision. `owners` is given if the owner of an object must be confirmed by the log instead of the read models. */
export type ExecutionPorts = Stores & { readonly tags: EntityTags; readonly owners: Owners | undefined };

/** A request that was decided. */
export type Decided<Of extends AggregateTypes> = Refused<Of> | Accepted<Of>;

type Refused<Of extends AggregateTypes> = { readonly outcome: 'refused'; readonly job: Job<Of>; readonly problem: HttpError };

/** A request that appends an event, or that finds nothing to do. */
export type Accepted<Of extends AggregateTypes> = {
  readonly outcome: 'accepted';
  readonly job: Job<Of>;
  /** The state before the request. */
  readonly before: Of['state'];
  /** The state and the revision after the request. */
  readonly state: Of['state'];
  readonly revision: Revision;
  /** Undefined if there is nothing to do. */
  readonly fact: Of['event'] | undefined;
  readonly event: NewEvent | undefined;
  /** The ids that the command could not add. */
  readonly notAdded: readonly NotAdded[] | undefined;
};

type DecidedInTurn<Of extends AggregateTypes> = {
  readonly decided: readonly Decided<Of>[];
  /** The requests beyond the limit of a batch's content. */
  readonly beyond: readonly Job<Of>[];
  readonly state: Of['state'];
};

/** Decides requests one after the other, each on the state that the previous one left. A request that fails, or that has a result from
 * another run, is answered at once and leaves the batch. So does a request that had to wait for the others too long: each of them may store
 * a file first. */
export const decideInTurn = async <Of extends AggregateTypes>(
  ports: ExecutionPorts,
  aggregate: Aggregate<Of>,
  stream: string,
  { loaded, known }: Base<Of>,
  jobs: readonly Job<Of>[],
): Promise<DecidedInTurn<Of>> => {
  const decided: Decided<Of>[] = [];
  let { state, revision } = loaded;
  let bytes = 0;
  for (const [nth, job] of jobs.entries()) {
    if (nth > 0 && performance.now() > job.untilMs) {
      job.reject(tooManyChanges());
      continue;
    }
    const one = await decideOne(ports, aggregate, stream, { loaded: { ...loaded, state, revision }, known }, job);
    if (one === undefined) continue;
    if (one.outcome === 'accepted' && one.event !== undefined) {
      bytes += Buffer.byteLength(one.event.content);
      if (decided.length > 0 && bytes > batchContentBytesMax) return { decided, beyond: jobs.slice(nth), state };
      ({ state, revision } = one);
    }
    decided.push(one);
  }
  return { decided, beyond: [], state };
};

const decideOne = async <Of extends AggregateTypes>(
  { log, tags, owners }: ExecutionPorts,
  aggregate: Aggregate<Of>,
  stream: string,
  { loaded: { state, revision }, known }: Base<Of>,
  job: Job<Of>,
): Promise<Decided<Of> | undefined> => {
  const { request, resolve, reject } = job;
  try {
    const command = await request.command(state, known);
    if (request.claim.key) {
      const outcome = await outcomeSoFar(log, stream, request.claim);
      if (outcome) {
        const common = await commonResult(log, stream, aggregate, state, outcome);
        resolve({ ...common, notAdded: common.notAdded ?? request.notAdded?.(command) });
        return undefined;
      }
    }
    const confirming = request.found === 'new' ? undefined : owners?.confirm(stream, request.call.access.account);
    if (confirming) await confirming;

    const decision = aggregate.decider.decide(state, command);
    if (decision.outcome === 'refused') return { job, outcome: 'refused', problem: request.problemOf(decision.refusal) };
    const stale = staleness(request, tags, revision);
    if (stale) return { job, outcome: 'refused', problem: stale };
    const [fact] = decision.events;
    const notAdded = request.notAdded?.(command);
    const accepted = { outcome: 'accepted', job, before: state, fact, notAdded } as const;
    return fact === undefined
      ? { ...accepted, state, revision, event: undefined }
      : { ...accepted, state: aggregate.decider.evolve(state, fact), revision: nextRevision(revision), event: sealed(request, fact) };
  } catch (error) {
    reject(error);
    return undefined;
  }
};

/** Checks `If-Match`, which applies to the objects that PUT and DELETE change. */
const staleness = <Of extends AggregateTypes>({ call }: ChangeRequest<Of>, tags: EntityTags, revision: Revision): HttpError | undefined => {
  const { method, headers } = call.request;
  const allowed = method === 'POST' || revision === 'none' || mayChange(headers['if-match'], tags(revision));
  return allowed ? undefined : preconditionFailed();
};

const sealed = <Of extends AggregateTypes>({ call, claim, sanitized }: ChangeRequest<Of>, fact: Of['event']): NewEvent =>
  sealFact(fact, { id: claim.event, account: call.access.account, origin: claim.origin, sanitized });
