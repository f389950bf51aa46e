import type { BackOffLimits } from '@waymark/timing/back-off.ts';

/** Every limit of the command line, in one place. */

/** How long a command waits for a data directory that another process holds: a server that starts or stops, or earlier commands. */
export const directoryWaitMs = 60_000;
export const directoryPollEveryMs = 100;
/** Time within which a running server must have answered the first request. */
export const firstAnswerMs = 2_000;
/** Timeouts of the content API and of the operator API, where an operation can take time in proportion to the log. */
export const answerWithinMs = 60_000;
export const operationWithinMs = 24 * 60 * 60 * 1_000;

export const operatorConnections = 8;

/** How often `undo` reads the state of its job. */
export const undoPollEveryMs = 200;

/** How long `renew` waits until every process continues with the renewed log. The read models are rebuilt from the whole log meanwhile. */
export const renewedWithinMs = 60 * 60_000;
export const renewedPollEveryMs = 500;

/** Requests in flight of `load` and of `seed`. Requests in flight share their commits, so more of them help where a disk is slow to sync. */
export const loadInFlight = 128;
export const seedInFlight = 16;
/** Attempts for one request, the first one included, and the pauses between them. The pauses grow where no response arrives; otherwise they
 * are as long as the server asks for. */
export const attemptsMax = 20;
export const pauseMsMin = 100;
export const noResponsePauses: BackOffLimits = { firstMs: pauseMsMin, lastMs: 5_000 };
export const retryAfterMsMax = 60_000;

/** A row can be as long as the largest body that the API accepts. */
export const rowBytesMax = 8 * 1024 * 1024;
/** Rows that are sent beyond the last saved progress. After a crash, the outcome of at most this many rows is unknown. */
export const rowsAheadMax = 20_000;
export const noteEveryMs = 250;
/** Idempotency keys are valid for 24 hours. An interrupted load can be resumed for an hour less. */
export const keysHoldMs = 23 * 60 * 60 * 1_000;

export const progressLineEveryMs = 5_000;
/** The API's largest page, and the most members that it adds in one request. */
export const pageItemsMax = 500;
export const membersAtOnceMax = 1_000;
/** Changes that `history` prints by default, and differing members of a list that `diff` reads. */
export const historyItemsDefault = 20;
export const differingMembersMax = 10_000;
/** The width of output that does not go to a terminal, and the width below which nothing is cut any further. */
export const columnsElsewhere = 120;
export const columnsMin = 60;

/** Files that `import` sends at once, and the number of files after which it records its progress. */
export const filesInFlight = 8;
export const filesNotedEvery = 1_000;
/** The characters of content of the events in one request of `import`. Escaped and in UTF-8, with the envelopes of at most
 * `batchEventsMax` events, they stay below the limit of a body. */
export const importCharactersMax = 1_000_000;
