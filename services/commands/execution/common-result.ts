import type { AggregateTypes } from '@waymark/domain/decider.ts';
import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { decode } from '@waymark/domain/event-types.ts';
import type { NotAdded } from '@waymark/domain/list/events.ts';
import { resourceStream } from '@waymark/domain/streams.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import type { Claim } from '../idempotency/idempotency.ts';
import { type Outcome, outcomeSoFar } from '../idempotency/outcomes.ts';
import type { Aggregate } from './aggregates.ts';
import type { ChangeResult } from './change-request.ts';

/** Returns the common result of all runs of a request, whichever run produced it. */
export const commonResult = async <Of extends AggregateTypes>(
  log: EventLog,
  stream: string,
  aggregate: Aggregate<Of>,
  state: Of['state'],
  { event, noOp }: Outcome,
): Promise<ChangeResult<Of>> => {
  if (event) return resultOfEvent(aggregate, state, event);
  const { revision, notAdded } = noOp;
  const [last] = revision === 'none' ? [] : await log.read(stream, revision);
  return { state, revision, position: last?.position ?? 0, fact: undefined, notAdded };
};

/** Returns the object that an earlier run of the same request created, in its state at that time. */
export const findEarlierCreate = async <Of extends AggregateTypes>(
  log: EventLog,
  aggregate: Aggregate<Of>,
  claim: Claim,
): Promise<(ChangeResult<Of> & { readonly id: number }) | undefined> => {
  const id = claim.key?.object;
  if (id === undefined) return undefined;
  const outcome = await outcomeSoFar(log, resourceStream(aggregate.kind, id), claim);
  return outcome?.event && { id, ...resultOfEvent(aggregate, aggregate.decider.initial, outcome.event) };
};

const resultOfEvent = <Of extends AggregateTypes>(
  { decider }: Aggregate<Of>,
  before: Of['state'],
  event: RecordedEvent,
): ChangeResult<Of> => {
  const fact = decode(event) as Of['event'] | undefined;
  const state = fact === undefined ? before : decider.evolve(before, fact);
  return { state, revision: event.revision, position: event.position, fact, notAdded: notAddedIn(fact) };
};

const notAddedIn = (fact: DomainEvent | undefined): readonly NotAdded[] | undefined =>
  fact?.type === 'PinpointsAdded' ? fact.notAdded : undefined;
