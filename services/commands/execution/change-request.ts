import type { AggregateTypes } from '@waymark/domain/decider.ts';
import type { NotAdded } from '@waymark/domain/list/events.ts';
import type { Revision } from '@waymark/event-log/event-log.ts';
import type { Call } from '@waymark/http/call.ts';
import type { HttpError } from '@waymark/http/errors.ts';
import type { Document } from '@waymark/read-models/read-models.ts';
import type { Claim } from '../idempotency/idempotency.ts';
import type { KnownPinpoints } from './members.ts';

/** A change that a client requests. */
export type ChangeRequest<Of extends AggregateTypes> = {
  readonly id: number;
  readonly call: Call;
  readonly claim: Claim;
  /** The object as the request has read it: its document; `new` if the request creates it; undefined if only the log has it. */
  readonly found: Document | 'new' | undefined;
  /** The ids in a membership request. The decision needs to know them. */
  readonly members?: readonly number[];
  /** True if sanitising changed the submitted text. */
  readonly sanitized: boolean;
  /** Returns the command for a state, with the data of other objects that it needs. Called again at each try. */
  readonly command: (state: Of['state'], known: KnownPinpoints) => Of['command'] | Promise<Of['command']>;
  readonly problemOf: (refusal: Of['refusal']) => HttpError;
  /** Returns the ids that a command cannot add: the part of the response that does not follow from the body of the request. Given for
   * requests that may have an idempotency key and find nothing to do. */
  readonly notAdded?: (command: Of['command']) => readonly NotAdded[];
};

/** The result of a change request. */
export type ChangeResult<Of extends AggregateTypes> = {
  readonly state: Of['state'];
  readonly revision: Revision;
  /** The position that readers must have reached to see the state; 0 if they see it already. */
  readonly position: number;
  /** Undefined if nothing changed, or if the change of the request was erased since. */
  readonly fact: Of['event'] | undefined;
  /** The ids that the request could not add. With an idempotency key, they count for every run. */
  readonly notAdded: readonly NotAdded[] | undefined;
};

/** Executes a change request.
 * @throws HttpError, LogUnavailable, AppendUndecided */
export type Execute<Of extends AggregateTypes> = (request: ChangeRequest<Of>) => Promise<ChangeResult<Of>>;
