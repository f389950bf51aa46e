import type { Decider } from '@waymark/domain/decider.ts';
import type { DomainEvent, NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { decode } from '@waymark/domain/event-types.ts';
import type { NotAdded } from '@waymark/domain/list/events.ts';
import { resourceStream } from '@waymark/domain/streams.ts';
import type { EventLog, Revision } from '@waymark/event-log/event-log.ts';
import { sealFact } from '@waymark/event-log/seal.ts';
import type { Call } from '@waymark/http/call.ts';
import { type EntityTags, mayChange } from '@waymark/http/conditional-requests.ts';
import { type HttpError, preconditionFailed, unavailable } from '@waymark/http/errors.ts';
import { type Claim, originOf } from '../idempotency/idempotency.ts';
import { type Outcome, outcomeSoFar, unlessAppended, unlessNoOp } from '../idempotency/outcomes.ts';
import { attemptsMax } from '../limits.ts';
import type { Aggregate } from './aggregates.ts';
import { appendOne, appendShared } from './append.ts';
import type { LoadedState } from './load.ts';
import type { Owners } from './owners.ts';
import type { StreamTurns } from './streams-in-turn.ts';

/** A change that a client requests. */
export type ChangeRequest<State, Command, Event extends DomainEvent, Refusal extends string> = {
  readonly aggregate: Aggregate<State, Command, Event, Refusal>;
  readonly id: number;
  readonly call: Call;
  readonly claim: Claim;
  /** True if the change creates the object: its stream is empty, and it has no owner yet. */
  readonly isNew?: true;
  /** True if sanitising changed the submitted text. */
  readonly sanitized: boolean;
  /** Returns the state to decide on, and the command with the data of other objects that it needs. Called again at each try; `fresh` is
   * true after a conflict. */
  readonly prepare: (fresh: boolean) => Promise<{ readonly loaded: LoadedState<State>; readonly command: Command }>;
  readonly problemOf: (refusal: Refusal) => HttpError;
  /** Returns the ids that a no-op could not add: the part of its response that does not follow from the body of the request. Given only for
   * requests that may have an idempotency key. */
  readonly notAdded?: () => readonly NotAdded[];
};

/** The result of a change request. */
export type ChangeResult<State, Event> = {
  readonly state: State;
  readonly revision: Revision;
  readonly position: number;
  /** Undefined if nothing changed, or if the change of the request was erased since. */
  readonly fact: Event | undefined;
  /** The ids that a no-op could not add; the no-op counts for every run of the request. */
  readonly notAdded?: readonly NotAdded[];
};

export type Execute = <State, Command, Event extends DomainEvent, Refusal extends string>(
  order: ChangeRequest<State, Command, Event, Refusal>,
) => Promise<ChangeResult<State, Event>>;

/** The dependencies of a decision. `owners` is given if the owner of an object must be confirmed by the log instead of the read models. */
type ExecutionPorts = { readonly log: EventLog; readonly tags: EntityTags; readonly owners: Owners | undefined };

/** Loads the state, decides, and appends at the revision that was read. Tries up to `attemptsMax` times if the append conflicts.
 * @throws HttpError, LogUnavailable, AppendUndecided */
export const createExecute = (means: ExecutionPorts, inTurn: StreamTurns): Execute => {
  const { log } = means;
  const execute: Execute = async (order) => {
    const stream = resourceStream(order.aggregate.kind, order.id);
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const done = await attemptOnce(means, stream, order, attempt > 0);
      if (done !== 'again') return done;
    }
    const { loaded } = await order.prepare(true);
    const outcome = await outcomeSoFar(log, stream, order.claim);
    if (outcome) return commonResult(log, stream, order, loaded, outcome);
    throw unavailable('Too many changes of this object at once.');
  };
  return (order) => inTurn(resourceStream(order.aggregate.kind, order.id), () => execute(order));
};

const attemptOnce = async <State, Command, Event extends DomainEvent, Refusal extends string>(
  { log, tags, owners }: ExecutionPorts,
  stream: string,
  order: ChangeRequest<State, Command, Event, Refusal>,
  fresh: boolean,
): Promise<ChangeResult<State, Event> | 'again'> => {
  const { aggregate, id, claim } = order;
  const { loaded, command } = await order.prepare(fresh);
  if (claim.key) {
    const outcome = await outcomeSoFar(log, stream, claim);
    if (outcome) return commonResult(log, stream, order, loaded, outcome);
  }

  const confirming = order.isNew ? undefined : owners?.confirm(stream, order.call.access.account);
  if (confirming) await confirming;

  const decision = aggregate.decider.decide(loaded.state, command);
  const refusal = decision.outcome === 'refused' ? order.problemOf(decision.refusal) : staleness(order, tags, loaded);
  const fact = decision.outcome === 'refused' ? undefined : decision.events[0];
  if (refusal || fact === undefined) {
    if (!(await isLast(log, stream, loaded.revision))) return 'again';
    if (refusal) throw refusal;
    const noOp = await claim.key?.take({ object: id, revision: loaded.revision, notAdded: order.notAdded?.() ?? null });
    if (noOp === undefined) return { ...loaded, fact: undefined };
    return commonResult(log, stream, order, loaded, await unlessAppended(log, stream, claim.event, noOp));
  }
  if (claim.key === undefined) {
    const placed = await appendOne(log, stream, sealed(order, fact), loaded.revision);
    if (placed.outcome === 'conflict') return 'again';
    const { revision, position } = placed.outcome === 'found' ? placed.event : placed;
    return { state: aggregate.decider.evolve(loaded.state, fact), revision, position, fact };
  }
  await claim.key.take({ object: id, revision: loaded.revision, notAdded: null });
  const placed = await appendShared(log, stream, sealed(order, fact), loaded.revision);
  if (placed.outcome === 'conflict') return 'again';
  return commonResult(log, stream, order, loaded, await unlessNoOp(claim.key, placed.event));
};

/** Returns whether the log confirms the revision. A decision that appends nothing is valid only on a confirmed revision. */
const isLast = async (log: EventLog, stream: string, revision: Revision): Promise<boolean> => {
  const [last = 'none'] = await log.lastRevisions([stream]);
  return last === revision;
};

/** Checks `If-Match`, which applies to the objects that PUT and DELETE change. */
const staleness = <State>({ call }: { readonly call: Call }, tags: EntityTags, { revision }: LoadedState<State>): HttpError | undefined => {
  const { method, headers } = call.request;
  const allowed = method === 'POST' || revision === 'none' || mayChange(headers['if-match'], tags(revision));
  return allowed ? undefined : preconditionFailed();
};

/** Returns the object that an earlier run of the same request created, in its state at that time. */
export const findEarlierCreate = async <State, Command, Event extends DomainEvent, Refusal extends string>(
  log: EventLog,
  aggregate: Aggregate<State, Command, Event, Refusal>,
  claim: Claim,
): Promise<(ChangeResult<State, Event> & { readonly id: number }) | undefined> => {
  const id = claim.key?.object;
  if (id === undefined) return undefined;
  const outcome = await outcomeSoFar(log, resourceStream(aggregate.kind, id), claim);
  return outcome?.event && { id, ...resultOfEvent(aggregate.decider, aggregate.decider.initial, outcome.event) };
};

/** Returns the common result of all runs of a request, whichever run produced it. */
const commonResult = async <State, Command, Event extends DomainEvent, Refusal extends string>(
  log: EventLog,
  stream: string,
  { aggregate }: ChangeRequest<State, Command, Event, Refusal>,
  { state }: LoadedState<State>,
  { event, noOp }: Outcome,
): Promise<ChangeResult<State, Event>> => {
  if (event) return resultOfEvent(aggregate.decider, state, event);
  const { revision, notAdded } = noOp;
  const [last] = revision === 'none' ? [] : await log.read(stream, revision);
  return { state, revision, position: last?.position ?? 0, fact: undefined, notAdded };
};

const resultOfEvent = <State, Command, Event extends DomainEvent, Refusal extends string>(
  { evolve }: Decider<State, Command, Event, Refusal>,
  before: State,
  event: RecordedEvent,
): ChangeResult<State, Event> => {
  const fact = decode(event) as Event | undefined;
  const state = fact === undefined ? before : evolve(before, fact);
  return { state, revision: event.revision, position: event.position, fact };
};

const sealed = <State, Command, Event extends DomainEvent, Refusal extends string>(
  { call, claim, sanitized }: ChangeRequest<State, Command, Event, Refusal>,
  fact: Event,
): NewEvent => sealFact(fact, { id: claim.event, account: call.access.account, origin: originOf(call), sanitized });
