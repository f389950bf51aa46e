import type { DomainEvent } from './event.ts';

/** The result of a decision: events (an empty list if nothing changes) or a refusal, which is a value. */
export type Decision<Event, Refusal> =
  | { readonly outcome: 'happened'; readonly events: readonly Event[] }
  | { readonly outcome: 'refused'; readonly refusal: Refusal };

/** The types of one aggregate: its state, its commands, its events, and the reasons for which it refuses a command. */
export type AggregateTypes = {
  readonly state: unknown;
  readonly command: unknown;
  readonly event: DomainEvent;
  readonly refusal: string;
};

/** The rules of one aggregate, as pure functions. */
export type Decider<Of extends AggregateTypes> = {
  readonly initial: Of['state'];
  readonly evolve: (state: Of['state'], event: Of['event']) => Of['state'];
  readonly decide: (state: Of['state'], command: Of['command']) => Decision<Of['event'], Of['refusal']>;
};

export const happened = <Event>(...events: readonly Event[]): Decision<Event, never> => ({ outcome: 'happened', events });

export const refused = <Refusal extends string>(refusal: Refusal): Decision<never, Refusal> => ({ outcome: 'refused', refusal });
