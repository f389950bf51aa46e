/** Events that one transaction applies, over all partitions. */
export const transactionEventsMax = 2_000;
/** Their size, in characters of JSON text; one event alone may be larger. */
export const transactionCharactersMax = 4_000_000;
/** What an event is counted for beside its content: envelope, salt, the write's own frame. */
export const eventFrameCharacters = 1_000;

/** Each character of an event about memberships counts so many times: every few of them are a row to write. */
export const membershipCharacters = 25;
/** A transaction that failed after so long may have been too large: less is tried next time. */
export const slowMs = 5_000;

/** Pauses after a step that failed: the first, doubled each time up to the last. */
export const pauseFirstMs = 10;
export const pauseLastMs = 2_000;
/** Transactions of several partitions that may fail in a row before each partition is tried by itself. */
export const togetherFailuresMax = 3;
/** A read of the log that hands nothing over for so long is at its head: whoever misses something below need not wait for it. */
export const scanIdleMs = 25;
/** Because of records that cannot be believed a partition is read from the log at most so often. */
export const doubtEveryMs = 1_000;
/** After so long an event that could not be projected is tried again, and told about again. */
export const standingRetryMs = 5_000;

/** A generation that has no position, and refuses so often to be given one, holds something that it cannot be given it with. */
export const beginTriesMax = 5;
/** A consumer that lasted for so long was a good one: its successor need not wait. */
export const consumedWellMs = 10_000;

/** How often generations, their roles and the log's incarnation are looked at. */
export const lookEveryMs = 500;
/** How often the projector shows that its installation lives. */
export const beatEveryMs = 1_000;
/** How often what is known of the log is looked at, and brought up to date. */
export const factsEveryMs = 1_000;
/** A generation becomes live when it has all that the log had this long ago: watermarks of idle partitions take a second or two. */
export const goalMs = 5_000;
/** A generation that took its predecessor's place stands alone for so long before the predecessor is dropped. */
export const retireAfterMs = 3_000;
/** Looks that may fail for so long before the process is no longer ready. */
export const blindMs = 3_000;
/** What fails again and again is told again after so long. */
export const tellEveryMs = 10_000;
