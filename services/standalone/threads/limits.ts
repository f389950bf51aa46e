/** All limits of the HTTP threads. */

/** The most threads that `auto` starts. */
export const automaticThreadsMax = 4;
/** The cores that `auto` leaves to the main thread and to the writer of the log. */
export const coresOfOthers = 2;
/** What a thread needs before it answers requests: code, heap and stack. */
export const threadBytes = 128 * 1024 * 1024;
/** What the history's thread needs: code, heap, stack, and the page caches of its files. */
export const historyBytes = 48 * 1024 * 1024;
/** The part of the process's memory that budgets and caches share in any case, however many threads there are. */
export const sharedPartMin = 1 / 4;
/** The part of the process's memory that the old objects of one thread may take, and its least size. */
export const heapPart = 1 / 2;
export const heapBytesMin = 128 * 1024 * 1024;
/** The part of the process's memory that the new objects of one thread may take, and its bounds. The upper one is Node's own. */
export const youngPart = 1 / 32;
export const youngBytesMin = 8 * 1024 * 1024;
export const youngBytesMax = 48 * 1024 * 1024;
/** How long a scrape of the metrics waits for a thread. */
export const metricsWaitMs = 1_000;
