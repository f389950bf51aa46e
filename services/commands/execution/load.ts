import type { DomainEvent } from '@waymark/domain/event.ts';
import { decode } from '@waymark/domain/event-types.ts';
import { resourceStream } from '@waymark/domain/streams.ts';
import { type EventLog, type Position, type Revision, readEventsMax } from '@waymark/event-log/event-log.ts';
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
export const load = async <State, Command, Event extends DomainEvent, Refusal extends string>(
  stores: Stores,
  aggregate: Aggregate<State, Command, Event, Refusal>,
  id: number,
  document: Document | undefined,
): Promise<LoadedState<State>> => {
  if (document !== undefined) return fromDocument(aggregate, document);
  const known = await unlessUnavailable(stores.models.find(aggregate.kind, id), undefined);
  return catchUp(stores.log, aggregate, id, fromDocument(aggregate, known));
};

export const fromDocument = <State, Command, Event extends DomainEvent, Refusal extends string>(
  aggregate: Aggregate<State, Command, Event, Refusal>,
  document: Document | undefined,
): LoadedState<State> =>
  document === undefined
    ? { state: aggregate.decider.initial, revision: 'none', position: 0 }
    : { state: aggregate.stateOf(document), revision: document.revision, position: 0 };

/** Applies all later events of the log to a state. */
export const catchUp = async <State, Command, Event extends DomainEvent, Refusal extends string>(
  log: EventLog,
  aggregate: Aggregate<State, Command, Event, Refusal>,
  id: number,
  from: LoadedState<State>,
): Promise<LoadedState<State>> => {
  let loaded = from;
  let more = true;
  while (more) {
    const events = await log.read(resourceStream(aggregate.kind, id), nextRevision(loaded.revision));
    for (const event of events) {
      const fact = decode(event);
      const state = fact === undefined ? loaded.state : aggregate.decider.evolve(loaded.state, fact as Event);
      loaded = { state, revision: event.revision, position: event.position };
    }
    more = events.length === readEventsMax;
  }
  return loaded;
};

/** Returns the next revision. */
export const nextRevision = (revision: Revision): number => (revision === 'none' ? 0 : revision + 1);

/** Returns the result of the read models, or a substitute while they are unavailable: writes continue without them. */
export const unlessUnavailable = async <Found, Else>(query: Promise<Found>, otherwise: Else): Promise<Found | Else> => {
  try {
    return await query;
  } catch (error) {
    if (error instanceof ReadModelsUnavailable) return otherwise;
    throw error;
  }
};
