import type { AggregateTypes } from '@waymark/domain/decider.ts';
import { decode } from '@waymark/domain/event-types.ts';
import { resourceStream } from '@waymark/domain/streams.ts';
import { type EventLog, nextRevision, type Position, type Revision } from '@waymark/event-log/event-log.ts';
import { readEvents } from '@waymark/event-log/read-stream.ts';
import { type Document, type ReadModels, ReadModelsUnavailable } from '@waymark/read-models/read-models.ts';
import type { Aggregate } from './aggregates.ts';

/** A state, with the revision and the position of the last event that was applied to it. */
export type LoadedState<State> = {
  readonly state: State;
  readonly revision: Revision;
  /** The position of that event; 0 if the state comes from the read models: the event is visible then. */
  readonly position: Position;
};

export type Stores = { readonly log: EventLog; readonly models: ReadModels };

/** Returns the state from a document, without further reads. Without a document, reads the read models, and then all later events from the
 * log. A decision on this state is valid only if the log confirms the revision. */
export const load = async <Of extends AggregateTypes>(
  stores: Stores,
  aggregate: Aggregate<Of>,
  id: number,
  document?: Document,
): Promise<LoadedState<Of['state']>> => {
  if (document !== undefined) return fromDocument(aggregate, document);
  const known = await unlessUnavailable(stores.models.find(aggregate.kind, id), undefined);
  return catchUp(stores.log, aggregate, id, known === undefined ? startOf(aggregate) : fromDocument(aggregate, known));
};

/** The state before the first event. */
export const startOf = <Of extends AggregateTypes>({ decider }: Aggregate<Of>): LoadedState<Of['state']> => ({
  state: decider.initial,
  revision: 'none',
  position: 0,
});

/** @param members the known members, if the object is a list */
export const fromDocument = <Of extends AggregateTypes>(
  aggregate: Aggregate<Of>,
  document: Document,
  members: ReadonlySet<number> = noMembers,
): LoadedState<Of['state']> => ({ state: aggregate.stateOf(document, members), revision: document.revision, position: 0 });

const noMembers: ReadonlySet<number> = new Set();

/** Applies all later events of the log to a state. */
export const catchUp = async <Of extends AggregateTypes>(
  log: EventLog,
  aggregate: Aggregate<Of>,
  id: number,
  from: LoadedState<Of['state']>,
): Promise<LoadedState<Of['state']>> => {
  let loaded = from;
  for await (const event of readEvents(log.read, resourceStream(aggregate.kind, id), nextRevision(from.revision))) {
    const fact = decode(event);
    const state = fact === undefined ? loaded.state : aggregate.decider.evolve(loaded.state, fact);
    loaded = { state, revision: event.revision, position: event.position };
  }
  return loaded;
};

/** Returns the result of the read models, or a substitute while they are unavailable: writes continue without them. */
export const unlessUnavailable = async <Found, Else>(query: Promise<Found>, otherwise: Else): Promise<Found | Else> => {
  try {
    return await query;
  } catch (error) {
    if (error instanceof ReadModelsUnavailable) return otherwise;
    throw error;
  }
};
