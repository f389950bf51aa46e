import type { AggregateTypes } from '@waymark/domain/decider.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { Position, Revision } from '@waymark/event-log/event-log.ts';
import { type HttpError, unavailable } from '@waymark/http/errors.ts';
import type { ChangeRequest, ChangeResult } from './change-request.ts';
import type { LoadedState } from './load.ts';
import type { KnownPinpoints } from './members.ts';

/** A change request that waits for its result. */
export type Job<Of extends AggregateTypes> = {
  readonly request: ChangeRequest<Of>;
  /** The time by which its turn must have come, as `performance.now()` returns it. */
  readonly untilMs: number;
  readonly resolve: (result: ChangeResult<Of>) => void;
  readonly reject: (error: unknown) => void;
};

/** A state that requests are decided on, and what is known of the pinpoints that they name. */
export type Base<Of extends AggregateTypes> = { readonly loaded: LoadedState<Of['state']>; readonly known: KnownPinpoints };

/** The stream as a batch has left it. */
export type Left<Of extends AggregateTypes> = {
  readonly revision: Revision;
  /** Undefined if the log may have recorded other contents than the batch decided. */
  readonly loaded: LoadedState<Of['state']> | undefined;
};

/** The end of a batch in the log, after its append or, if it has no event, after the log has confirmed its revision. `present`: the events
 * as the log has them, where they were read back. */
export type Confirmed = { readonly revision: Revision; readonly position: Position; readonly present?: readonly RecordedEvent[] };

/** The refusal of a request whose turn did not come in time, or whose appends have all conflicted. */
export const tooManyChanges = (): HttpError => unavailable('Too many changes of this object at once.');
