import { decode } from '@waymark/domain/catalogue.ts';
import type { Decider } from '@waymark/domain/decider.ts';
import type { DomainEvent, NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { numberedStream } from '@waymark/domain/streams.ts';
import type { EventLog, Revision } from '@waymark/event-log/event-log.ts';
import { sealFact } from '@waymark/event-log/seal.ts';
import type { Answer, Call } from '@waymark/http/call.ts';
import { type EntityTags, mayChange } from '@waymark/http/conditions.ts';
import { type Problem, preconditionFailed, unavailable } from '@waymark/http/problems.ts';
import type { Aggregate } from './aggregates.ts';
import { appendOne } from './append.ts';
import { type Claim, originOf } from './claims.ts';
import { attemptsMax } from './limits.ts';
import { caughtUp, following, type Loaded } from './load.ts';
import type { InTurn } from './streams-in-turn.ts';

/** A change that somebody asks for. */
export type Order<State, Command, Event extends DomainEvent, Refusal extends string> = {
  readonly aggregate: Aggregate<State, Command, Event, Refusal>;
  readonly id: number;
  readonly call: Call;
  readonly claim: Claim;
  /** True when sanitising changed what was sent. */
  readonly sanitized: boolean;
  /** The state to decide on, and the command with what it must know of the world: asked anew at each try, `fresh` after a conflict. */
  readonly prepare: (fresh: boolean) => Promise<{ readonly loaded: Loaded<State>; readonly command: Command }>;
  readonly problemOf: (refusal: Refusal) => Problem;
  /** The answer of a decision that changes nothing, for those requests that may be repeated. */
  readonly unchanged?: () => Answer;
};

/** What came of an order. */
export type Done<State, Event> = {
  readonly state: State;
  readonly revision: Revision;
  readonly position: number;
  /** Undefined: nothing changed. */
  readonly fact: Event | undefined;
};

export type Execute = <State, Command, Event extends DomainEvent, Refusal extends string>(
  order: Order<State, Command, Event, Refusal>,
) => Promise<Done<State, Event>>;

/** State, decide, append at the revision read; again after a conflict, a bounded number of times.
 * @throws Problem, LogUnavailable, AppendUndecided */
export const executing = (log: EventLog, tags: EntityTags, inTurn: InTurn): Execute => {
  const execute: Execute = async (order) => {
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const done = await attemptOnce(log, tags, order, attempt > 0);
      if (done !== 'again') return done;
    }
    throw unavailable('Too many changes of this object at once.');
  };
  return (order) => inTurn(numberedStream(order.aggregate.kind, order.id), () => execute(order));
};

const attemptOnce = async <State, Command, Event extends DomainEvent, Refusal extends string>(
  log: EventLog,
  tags: EntityTags,
  order: Order<State, Command, Event, Refusal>,
  fresh: boolean,
): Promise<Done<State, Event> | 'again'> => {
  const { aggregate, id, claim } = order;
  const stream = numberedStream(aggregate.kind, id);
  const { loaded, command } = await order.prepare(fresh);
  const before = claim.since === undefined ? undefined : await recorded(log, stream, claim.since, claim.event);
  if (before) return doneBefore(aggregate.decider, loaded.state, before);

  const decision = aggregate.decider.decide(loaded.state, command);
  const refusal = decision.outcome === 'refused' ? order.problemOf(decision.refusal) : staleness(order, tags, loaded);
  const fact = decision.outcome === 'refused' ? undefined : decision.events[0];
  if (refusal || fact === undefined) {
    if (!(await isLast(log, stream, loaded.revision))) return 'again';
    if (refusal) throw refusal;
    await claim.take({ object: id, revision: loaded.revision, answer: order.unchanged?.() ?? null });
    return { ...loaded, fact: undefined };
  }
  await claim.take({ object: id, revision: loaded.revision, answer: null });
  const placed = await appendOne(log, stream, sealed(order, fact), loaded.revision);
  if (placed.outcome === 'conflict') return 'again';
  if (placed.outcome === 'found') return doneBefore(aggregate.decider, loaded.state, placed.event);
  return { state: aggregate.decider.evolve(loaded.state, fact), revision: placed.revision, position: placed.position, fact };
};

/** A decision that appends nothing counts only on the revision that the log has confirmed. */
const isLast = async (log: EventLog, stream: string, revision: Revision): Promise<boolean> => {
  const [last = 'none'] = await log.last([stream]);
  return last === revision;
};

/** `If-Match` speaks of what PUT and DELETE change. */
const staleness = <State>({ call }: { readonly call: Call }, tags: EntityTags, { revision }: Loaded<State>): Problem | undefined => {
  const { method, headers } = call.request;
  const allowed = method === 'POST' || revision === 'none' || mayChange(headers['if-match'], tags(revision));
  return allowed ? undefined : preconditionFailed();
};

/** The event that an earlier run of the same request has appended, if it has. */
const recorded = async (log: EventLog, stream: string, since: Revision, id: string) => {
  let from = following(since);
  for (;;) {
    const events = await log.read(stream, from);
    const found = events.find(({ envelope }) => envelope.id === id);
    if (found || events.length === 0) return found;
    from += events.length;
  }
};

/** The object that an earlier run of the same request has created, as it then was; as it is now, where what it was has been erased. */
export const createdEarlier = async <State, Command, Event extends DomainEvent, Refusal extends string>(
  log: EventLog,
  aggregate: Aggregate<State, Command, Event, Refusal>,
  { object: id, since, event }: Claim,
): Promise<(Done<State, Event> & { readonly id: number }) | undefined> => {
  if (id === undefined || since === undefined) return undefined;
  const { kind, decider } = aggregate;
  const found = await recorded(log, numberedStream(kind, id), since, event);
  if (found?.content !== null) return found && { id, ...doneBefore(decider, decider.initial, found) };
  return { id, fact: undefined, ...(await caughtUp(log, aggregate, id, { state: decider.initial, revision: 'none', position: 0 })) };
};

const doneBefore = <State, Command, Event extends DomainEvent, Refusal extends string>(
  { evolve }: Decider<State, Command, Event, Refusal>,
  before: State,
  event: RecordedEvent,
): Done<State, Event> => {
  const fact = decode(event) as Event | undefined;
  const state = fact === undefined ? before : evolve(before, fact);
  return { state, revision: event.revision, position: event.position, fact };
};

const sealed = <State, Command, Event extends DomainEvent, Refusal extends string>(
  { call, claim, sanitized }: Order<State, Command, Event, Refusal>,
  fact: Event,
): NewEvent => sealFact(fact, { id: claim.event, account: call.access.account, origin: originOf(call), sanitized });
