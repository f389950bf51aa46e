import type { BackOffLimits } from '@waymark/timing/back-off.ts';

/** The maximum number of events that one transaction applies, over all partitions. */
export const transactionEventsMax = 2_000;
/** The maximum size of these events, in characters of JSON text. A single event may be larger. */
export const transactionCharactersMax = 4_000_000;
/** The characters that each event counts in addition to its content: envelope, salt and the overhead of the write. */
export const eventFrameCharacters = 1_000;

/** The weight of each character of a membership event: every few of these characters are a member, for which the history writes as much as for an
 * event. */
export const membershipCharacters = 200;
/** A transaction that failed after this time may have been too large. The next attempt is smaller. */
export const slowMs = 5_000;

/** The pauses after failed steps. */
export const failurePauses: BackOffLimits = { firstMs: 10, lastMs: 2_000, jitter: 0.5 };
/** The number of failed transactions of several partitions in a row after which each partition is tried by itself. */
export const togetherFailuresMax = 3;
/** A read of the log that delivers nothing for this time is at the head of the log. A partition that misses an earlier event does not wait
 * for it. */
export const scanIdleMs = 25;
/** The minimum time between two reads of the log for one partition because of rejected records. */
export const rereadEveryMs = 1_000;
/** The interval at which the projector looks for partitions that stand still. An event of such a partition is applied after twice this
 * time. */
export const standingCheckMs = 5_000;
/** How long a partition is reported after it was last found standing still. */
export const standingReportMs = 60_000;
/** The time after which an event that could not be projected is tried again and reported again. */
export const blockedRetryMs = 5_000;

/** The number of refused attempts to give a generation its first positions. After that, something is stored in the generation that
 * conflicts with them. */
export const beginTriesMax = 5;
/** A consumer that ran for this time was healthy: the back-off is reset for its successor. */
export const consumedWellMs = 10_000;

/** The interval at which generations, their roles and the incarnation of the log are checked. */
export const checkEveryMs = 500;
/** The interval at which the projector shows that its installation is alive. */
export const beatEveryMs = 2_500;
/** The interval at which the known facts of the log are checked and updated. */
export const factsEveryMs = 1_000;
/** A generation becomes live once it has everything that the log had this long ago. Watermarks of idle partitions take a second or two. */
export const completeWithinMs = 5_000;
/** A generation must have been the only one in use for this time before its predecessor is dropped. */
export const retireAfterMs = 3_000;
/** A process whose version was superseded before it started takes over after this time, in milliseconds. A process of the previous version
 * that is restarted while it is being replaced ends before. */
export const takeOverAfterMsDefault = 30_000;
/** Checks may fail for this time before the process is no longer ready. */
export const unreadableMs = 3_000;
/** The history rests after a transaction, at most until this time after its start: few large transactions cost less than one for each few
 * events. An audit read may wait for it. */
export const historyEveryMs = 250;
/** How many times as long as a transaction took, the rest after it is at most. */
export const restTimes = 4;
/** A projection does not rest after so many events: it is behind. */
export const largeRoundEvents = 500;
/** The interval at which the history is cleaned after erasures. */
export const cleanEveryMs = 500;
