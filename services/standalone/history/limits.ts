/** All limits of the history's thread. */

/** How long after the start of the server the thread starts, unless it is needed before: until then, the start and the first requests have all
 * cores. */
export const firstStartMs = 10_000;
/** How long the thread waits after its last work, and how long after a question, before it ends. */
export const quietMs = 3_000;
export const askedMs = 60_000;
/** How often it looks whether it has nothing to do. */
export const watchMs = 500;

/** Events that are read and applied at once: about what the thread applies in 30 ms. */
export const batchEvents = 1_000;
/** The characters of content from which on a batch gets no more events. A thousand members that were added to a list take as long to apply as a
 * thousand events, but are one event of some 11,000 characters. Between two batches, questions are answered. */
export const batchCharacters = 500_000;
/** How often the thread looks for new events while nothing waits for them. */
export const pollMs = 250;
/** The pauses after a failure, for example on a full disk. */
export const failurePauses = { firstMs: 250, lastMs: 10_000 };
/** Questions in progress in the whole process, and of one account. */
export const questionsMax = 200;
export const accountQuestionsMax = 16;
/** How long a question waits for the history to have what was acknowledged before it. */
export const waitMs = 5_000;
/** How long a question takes at most, also while the thread is busy with something else. */
export const answerMs = 10_000;
/** How long `verify` waits for the history. */
export const verifyWaitMs = 5_000;
/** How long `forget` waits until erased content is gone from the history. */
export const cleanWaitMs = 60_000;
/** How long closing may take before the thread is terminated. */
export const closeWaitMs = 5_000;
/** The most that the old objects of the thread may take, in MiB. */
export const heapMebibytes = 256;
/** How long erased content waits after something else, such as `verify`, was reading it. The history is applied meanwhile. */
export const cleanAgainMs = 5_000;
