import { largeRoundEvents, restTimes } from '../limits.ts';

/** A round of the loop: how many events it applied, how long it took, in milliseconds, and whether events are read from the log meanwhile. */
export type Round = { readonly events: number; readonly tookMs: number; readonly isCatchingUp: boolean };

/** Returns how long a projection rests after a round, in milliseconds, so that the events that arrive meanwhile are applied together: longer
 * where a round takes longer, and not at all while it is behind.
 * @param roundEveryMs the time after the start of a round at which the rest ends at the latest; 0: it never rests */
export const restAfter = ({ events, tookMs, isCatchingUp }: Round, roundEveryMs: number): number =>
  isCatchingUp || events >= largeRoundEvents ? 0 : Math.max(0, Math.min(roundEveryMs - tookMs, restTimes * tookMs));
