/** Every limit of the tokens, in one place. */

/** Writes that share one commit. */
export const groupMax = 256;
/** Expired tokens that one commit removes; about 5 ms of the event loop. */
export const expireRowsMax = 500;
/** Commits of one removal of expired tokens; what is left goes with the next. */
export const expireStepsMax = 2_000;
/** How long a statement waits for another process that looks into the file, blocking the event loop. */
export const busyTimeoutMs = 250;

/** How often an append to the event log that was cut off is tried again, and the pause before each. */
export const undecidedTriesMax = 8;
export const undecidedPauseMs = 100;
/** Streams that one look at the event log asks for. */
export const looksMax = 500;
/** How long the incarnation of the event log is taken for granted. */
export const incarnationFreshMs = 1_000;
/** Longer entries in Redis are none of ours. */
export const entryBytesMax = 4_096;
/** Tokens of which a process remembers what it has confirmed. */
export const knownTokensMax = 10_000;
