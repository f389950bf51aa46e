import { largeRoundEvents, restTimes } from '../limits.ts';

/** A round of the loop: how many events it applied, and how long it took, in milliseconds. */
type Round = { readonly events: number; readonly tookMs: number };

/** Returns how long a projection rests after a round, in milliseconds, so that the events that arrive meanwhile are applied together: longer
 * where a round takes longer, and not at all where many events wait.
 * @param roundEveryMs the time after the start of a round at which the rest ends at the latest; 0: it never rests */
export const restAfter = ({ events, tookMs }: Round, roundEveryMs: number): number =>
  events < largeRoundEvents ? Math.max(0, Math.min(roundEveryMs - tookMs, restTimes * tookMs)) : 0;
