/** Every limit of the command line, in one place. */

/** How long servers that start or stop, and commands before this one, may keep a data directory to themselves before a command gives up. */
export const directoryWaitMs = 60_000;
export const directoryLookEveryMs = 100;
/** A running server must have answered its first question by then. */
export const firstAnswerMs = 2_000;
/** An answer of the content API, and of the operator API where an operation runs as long as the log is. */
export const answerWithinMs = 60_000;
export const operationWithinMs = 24 * 60 * 60 * 1_000;

export const operatorConnections = 8;

/** So long `renew` waits until everything goes on with the renewed log: the read side is made anew from all of it. */
export const renewedWithinMs = 60 * 60_000;
export const renewedLookEveryMs = 500;

/** Requests in flight of `load`, and of `seed`. What is in flight shares its commits: more help where a disk is slow to sync. */
export const loadInFlight = 128;
export const seedInFlight = 16;
/** Tries of one request, first one included, and the pauses between them: longer and longer where no answer came, else as long as asked. */
export const attemptsMax = 20;
export const pauseMsMin = 100;
export const silencePauseMsMax = 5_000;
export const askedPauseMsMax = 60_000;

/** What the API takes as a body is the longest row. */
export const rowBytesMax = 8 * 1024 * 1024;
/** Rows that are sent ahead of the last note of progress: after a crash the outcome of no more than these is unknown. */
export const rowsAheadMax = 20_000;
export const noteEveryMs = 250;
/** Idempotency keys hold 24 hours; a load that was cut off is gone on with up to an hour less. */
export const keysHoldMs = 23 * 60 * 60 * 1_000;

export const progressLineEveryMs = 5_000;
/** As the API pages and adds members, at most. */
export const pageItemsMax = 500;
export const membersAtOnceMax = 1_000;

/** Files that `import` sends at once, and after how many it notes how far it has come. */
export const filesInFlight = 8;
export const filesNotedEvery = 1_000;
/** Events in one order of `import`, as many as the operator API takes, and their characters of content: escaped and in UTF-8, with their
 * envelopes, they stay below what a body may have. */
export const importEventsMax = 1_000;
export const importCharactersMax = 1_000_000;
/** Files whose presence is asked for in one order. */
export const importFilesAskedMax = 1_000;
