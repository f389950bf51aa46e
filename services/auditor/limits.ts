/** How long a request waits for the history to have what was acknowledged before it. */
export const waitMs = 5_000;
/** The maximum number of requests that wait at once. */
export const waitersMax = 200;
