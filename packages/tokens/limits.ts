/** Every limit of the tokens in SQLite, in one place. */

/** Writes that share one commit. */
export const groupMax = 256;
/** Expired tokens that one commit removes; about 5 ms of the event loop. */
export const expireRowsMax = 500;
/** Commits of one removal of expired tokens; what is left goes with the next. */
export const expireStepsMax = 2_000;
/** How long a statement waits for another process that looks into the file, blocking the event loop. */
export const busyTimeoutMs = 250;
