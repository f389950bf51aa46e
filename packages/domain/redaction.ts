import type { ApplicationEvent } from './application/events.ts';
import { evolve, initial, lastSuspension } from './application/state.ts';
import { categoryDecider } from './category/decide.ts';
import type { ChangesetEvent } from './changeset/events.ts';
import type { AggregateTypes, Decider } from './decider.ts';
import type { ErasureSummary } from './erasure-summary.ts';
import type { DomainEvent, RecordedEvent } from './event.ts';
import { decode } from './event-types.ts';
import { happeningDecider } from './happening/decide.ts';
import type { ListEvent, ListMembersRestated } from './list/events.ts';
import { redactionOfList } from './list/redaction.ts';
import { pinpointDecider } from './pinpoint/decide.ts';
import { resourceOfStream } from './streams.ts';

/** The event that follows erased events in an object's stream. It contains the facts about the object that stay. */
export type Redacted = Extract<DomainEvent, { type: `${string}Redacted` }>;

/** Computes the events of an erasure from all events of an object's stream, in their order. */
export type Redaction = {
  /** Adds the next event of the stream.
   * @throws NewerEvent */
  readonly add: (event: RecordedEvent) => void;
  /** Returns the next of the events that precede the fact, because one event is too small for what stays: the members of a list from an id
   * on. Returns undefined if there are no more.
   * @param from 1, or the first id after the range before */
  readonly pieceFrom: (from: number) => ListMembersRestated | undefined;
  /** Returns undefined if the stream does not show what the object is: it was never created, or its events were erased without a summary.
   * @param restatedFrom the revision of the first piece, or of the fact itself */
  readonly fact: (summary: ErasureSummary, restatedFrom: number) => Redacted | undefined;
};

/** Returns the revision before which an event that completes an erasure erased everything; undefined for every other event, and for one that
 * is erased itself.
 * @throws NewerEvent */
export const erasedBefore = (event: RecordedEvent): number | undefined => {
  const fact = event.envelope.type.endsWith('Redacted') ? decode(event) : undefined;
  if (fact === undefined) return undefined;
  return 'restatedFrom' in fact ? fact.restatedFrom : event.revision;
};

/** Returns the redaction of the stream of a numbered object, an application or a changeset, and undefined for every other stream. */
export const redactionOf = (stream: string): Redaction | undefined => {
  const [, about, key = ''] = /^(application|changeset)-(.+)$/.exec(stream) ?? [];
  if (about === 'application') return redactionOfApplication(key);
  if (about === 'changeset') return redactionOfChangeset(key);
  const { resource, id } = resourceOfStream(stream) ?? {};
  if (resource === undefined || id === undefined) return undefined;
  switch (resource) {
    case 'pinpoint':
      return folding(pinpointDecider, (state, last, summary) => {
        const fields = state.status === 'present' ? state.fields : null;
        return last && { type: 'PinpointRedacted', account: last.account, pinpoint: id, summary, fields };
      });
    case 'list':
      return decoding(redactionOfList(id));
    case 'category':
      return folding(categoryDecider, (_state, last, summary) => {
        return last && { type: 'CategoryRedacted', account: last.account, category: id, summary, fields: last.fields };
      });
    case 'happening':
      return folding(happeningDecider, (state, last, summary) => {
        const fields = state.status === 'present' ? state.fields : null;
        return last && { type: 'HappeningRedacted', account: last.account, happening: id, summary, fields, pinpoint: last.fields.pinpoint };
      });
  }
};

/** Wraps the redaction of a list, which takes decoded events. */
const decoding = (redaction: ReturnType<typeof redactionOfList>): Redaction => ({
  ...redaction,
  add: (event) => {
    const fact = decode(event) as ListEvent | undefined;
    if (fact !== undefined) redaction.add(fact);
  },
});

/** All that stays of other objects fits into one event. */
const noPieces: Pick<Redaction, 'pieceFrom'> = { pieceFrom: () => undefined };

const redactionOfApplication = (application: string): Redaction => {
  let [state, suspended] = [initial, -1];
  return {
    ...noPieces,
    add: (event) => {
      const fact = decode(event) as ApplicationEvent | undefined;
      if (fact === undefined) return;
      state = evolve(state, fact);
      suspended = lastSuspension(fact, event.revision, suspended);
    },
    fact: (summary) => {
      if (state.status === 'absent') return undefined;
      const { scopes, secrets } = state.status === 'deleted' ? { scopes: [], secrets: [] } : state;
      const { account, status } = state;
      const stays = { status, scopes, secrets, suspended: suspended < 0 ? null : suspended };
      return { type: 'ApplicationRedacted', account, application, summary, ...stays };
    },
  };
};

/** Nothing of a changeset stays but its account: its comment and its person are what is erased. */
const redactionOfChangeset = (changeset: string): Redaction => {
  let account: string | undefined;
  return {
    ...noPieces,
    add: (event) => {
      const fact = decode(event) as ChangesetEvent | undefined;
      account = fact?.account ?? account;
    },
    fact: (summary) => (account === undefined ? undefined : { type: 'ChangesetRedacted', account, changeset, summary }),
  };
};

type Present<State> = Extract<State, { readonly status: 'present' }>;

type WithStatus = AggregateTypes & { readonly state: { readonly status: string } };

/** @param toFact gets the state, and the last state in which the object was present */
const folding = <Of extends WithStatus>(
  { initial, evolve }: Decider<Of>,
  toFact: (state: Of['state'], last: Present<Of['state']> | undefined, summary: ErasureSummary) => Redacted | undefined,
): Redaction => {
  let state = initial;
  let last: Present<Of['state']> | undefined;
  return {
    ...noPieces,
    add: (event) => {
      const fact = decode(event);
      if (fact) state = evolve(state, fact);
      if (isPresent(state)) last = state;
    },
    fact: (summary) => toFact(state, last, summary),
  };
};

const isPresent = <State extends { readonly status: string }>(state: State): state is Present<State> => state.status === 'present';
