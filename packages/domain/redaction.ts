import { categoryDecider } from './category/decide.ts';
import type { AggregateTypes, Decider } from './decider.ts';
import type { ErasureSummary } from './erasure-summary.ts';
import type { DomainEvent, RecordedEvent } from './event.ts';
import { decode } from './event-types.ts';
import { happeningDecider } from './happening/decide.ts';
import { listDecider } from './list/decide.ts';
import type { ListEvent } from './list/events.ts';
import { pinpointDecider } from './pinpoint/decide.ts';
import { type ResourceKind, resourceOfStream } from './streams.ts';

/** The event that follows erased events in an object's stream. It contains the facts about the object that stay. */
export type Redacted = Extract<DomainEvent, { type: `${Capitalize<ResourceKind>}Redacted` }>;

/** Computes that event from all events of an object's stream, in their order. */
export type Redaction = {
  /** Adds the next event of the stream.
   * @throws NewerEvent */
  readonly add: (event: RecordedEvent) => void;
  /** Returns undefined if the stream does not show what the object is: it was never created, or its events were erased without a summary. */
  readonly fact: (summary: ErasureSummary) => Redacted | undefined;
};

/** The maximum number of members of a list that can be redacted: as many as one event may change. */
export const membersRedactedMax = 10_000;

/** Thrown if a list has more members than one event may name. */
export class TooManyMembers extends Error {}

/** Returns the redaction of a numbered object's stream, and undefined for every other stream. */
export const redactionOf = (stream: string): Redaction | undefined => {
  const { resource, id } = resourceOfStream(stream) ?? {};
  if (resource === undefined || id === undefined) return undefined;
  switch (resource) {
    case 'pinpoint':
      return folding(pinpointDecider, ({ status, account, fields }, summary) => ({
        type: 'PinpointRedacted',
        account,
        pinpoint: id,
        summary,
        fields: status === 'present' ? fields : null,
      }));
    case 'list':
      return ofList(id);
    case 'category':
      return folding(categoryDecider, ({ account, fields }, summary) => ({
        type: 'CategoryRedacted',
        account,
        category: id,
        summary,
        fields,
      }));
    case 'happening':
      return folding(happeningDecider, ({ status, account, fields }, summary) => ({
        type: 'HappeningRedacted',
        account,
        happening: id,
        summary,
        fields: status === 'present' ? fields : null,
        pinpoint: fields.pinpoint,
      }));
  }
};

type Present<State> = Extract<State, { readonly status: 'present' }>;
/** An object in its present state, or in its state when it was deleted. */
type CurrentState<State> = Omit<Present<State>, 'status'> & { readonly status: 'present' | 'deleted' };

type WithStatus = AggregateTypes & { readonly state: { readonly status: string } };

const folding = <Of extends WithStatus>(
  { initial, evolve }: Decider<Of>,
  toFact: (object: CurrentState<Of['state']>, summary: ErasureSummary) => Redacted,
): Redaction => {
  let state = initial;
  let present: Present<Of['state']> | undefined;
  return {
    add: (event) => {
      const fact = decode(event);
      if (fact) state = evolve(state, fact);
      if (isPresent(state)) present = state;
    },
    fact: (summary) => present && toFact({ ...present, status: isPresent(state) ? 'present' : 'deleted' }, summary),
  };
};

/** The state of a deleted list contains all that is restated. */
const ofList = (list: number): Redaction => {
  let state = listDecider.initial;
  return {
    add: (event) => {
      const fact = decode(event) as ListEvent | undefined;
      if (fact) state = listDecider.evolve(state, fact);
    },
    fact: (summary) => {
      if (!('account' in state)) return undefined;
      const fields = state.status === 'present' ? state.fields : null;
      return { type: 'ListRedacted', account: state.account, list, summary, fields, members: inOrder(state.members) };
    },
  };
};

const isPresent = <State extends { readonly status: string }>(state: State): state is Present<State> => state.status === 'present';

const inOrder = (members: ReadonlySet<number>): readonly number[] => {
  if (members.size > membersRedactedMax) throw new TooManyMembers(`The list has more than ${membersRedactedMax} members.`);
  return [...members].sort((one, other) => one - other);
};
