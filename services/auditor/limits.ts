/** How long a request waits for the history to have what was acknowledged before it. */
export const waitMs = 5_000;
/** The maximum number of requests that wait at once. */
export const waitersMax = 200;
/** Questions in progress in the process, and of one account. */
export const questionsMax = 200;
export const accountQuestionsMax = 16;

/** Streams of activity that are open at once: of one application, and in one process. */
export const applicationStreamsMax = 5;
export const streamsMax = 200;
/** How often a thread compares the position of the history with that of its streams. */
export const streamLookMs = 250;
/** How often the access of a stream is checked, and the longest time in which a stream sends nothing. */
export const streamAccessMs = 1_000;
export const streamHeartbeatMs = 15_000;
/** The number of entries that are read for a stream at once. */
export const streamEntries = 100;
/** The questions with which streams of an account begin that a thread asks at once. So streams that all connect again together do not use up the
 * questions of their account. */
export const streamBeginningsMax = 2;
/** The bytes of a stream that may wait for its reader. A reader that is further behind is disconnected. */
export const streamBehindBytesMax = 1024 * 1024;
/** While a stream catches up with the history, it reads no more as long as more bytes wait for its reader. */
export const streamWaitingBytesMax = 64 * 1024;
/** How long a client waits before it connects again. */
export const streamRetryMs = 1_000;
