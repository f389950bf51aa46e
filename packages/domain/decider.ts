/** The result of a decision: events (an empty list if nothing changes) or a refusal, which is a value. */
export type Decision<Event, Refusal> =
  | { readonly outcome: 'happened'; readonly events: readonly Event[] }
  | { readonly outcome: 'refused'; readonly refusal: Refusal };

/** The rules of one aggregate, as pure functions. */
export type Decider<State, Command, Event, Refusal> = {
  readonly initial: State;
  readonly evolve: (state: State, event: Event) => State;
  readonly decide: (state: State, command: Command) => Decision<Event, Refusal>;
};

export const happened = <Event>(...events: readonly Event[]): Decision<Event, never> => ({ outcome: 'happened', events });

export const refused = <Refusal extends string>(refusal: Refusal): Decision<never, Refusal> => ({ outcome: 'refused', refusal });
