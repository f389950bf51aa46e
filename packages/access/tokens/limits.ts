/** All limits of the token stores. */

/** The number of writes that share one commit. */
export const groupMax = 256;
/** The number of expired tokens that one commit removes; this takes about 5 ms of the event loop. */
export const expireRowsMax = 500;
/** The number of commits in one removal of expired tokens; the next removal continues with the rest. */
export const expireStepsMax = 2_000;
/** How long a statement waits for another process that reads the file. The wait blocks the event loop. */
export const busyTimeoutMs = 250;

/** The number of streams in one query of the event log. */
export const lookupStreamsMax = 500;
/** The number of these queries in progress at once, and of the tokens that wait for the next one. */
export const lookupsInProgressMax = 16;
export const lookupsWaitingMax = 10_000;
/** How long the incarnation of the event log is cached. */
export const incarnationFreshMs = 1_000;
/** Longer values in Redis are not entries of this installation. */
export const entryBytesMax = 4_096;
/** The number of tokens whose last confirmation a process caches. */
export const knownTokensMax = 10_000;
/** The number of commands in a row without an answer after which Redis counts as unreachable, and the pause between two of them. */
export const redisTriesMax = 10;
export const redisTryPauseMs = 100;
/** The number of marks of revoked tokens that a process writes once Redis takes them, and how often it tries. */
export const missingMarksMax = 10_000;
export const missingMarksRepeatMs = 1_000;
