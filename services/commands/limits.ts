/** All limits of the command services. */

/** Runs of a request, each of which finds that another process has taken its Idempotency-Key, until it gets the response to try again later. */
export const attemptsMax = 8;
/** Requests that may wait for one stream. */
export const waitersPerStreamMax = 256;
/** The limits of the requests for one stream that are decided together. */
export const batchRequestsMax = 100;
/** The ids in the membership requests of a batch. */
export const batchIdsMax = 1_000;
/** The content of a batch's events. One event may have more. */
export const batchContentBytesMax = 512 * 1024;
/** How long a request waits for its turn, and how long the requests of a turn are decided again after conflicts with other threads or
 * processes. */
export const turnMs = 5_000;
/** The pause before something is decided again that the history is behind, or that others have changed. */
export const historyPauseMs = 20;
/** How long a request waits for the history to have what was acknowledged before it, and the requests that wait at once. */
export const historyWaitMs = 5_000;
export const historyWaitersMax = 200;
/** Questions to the history in progress in the process, and of one account. */
export const questionsMax = 200;
export const accountQuestionsMax = 16;
/** Pictures of one account that are inspected at once, and those that wait for it. */
export const accountPicturesMax = 1;
export const accountPicturesWaitingMax = 256;
/** Memberships and happenings from which on the deletion or restoration of a pinpoint is large: about 1 ms of the writer. */
export const largeChangeRows = 100;
/** Large changes of one account that wait for their turn: half a minute, at 10,000 happenings each. */
export const largeChangesWaitingMax = 128;
/** Members of a list that are looked up at once. */
export const membersTogether = 1_000;
/** How long a claim of an idempotency key is valid. */
export const keyHoldsMs = 24 * 60 * 60 * 1000;
export const categoriesCachedMax = 10_000;
/** Objects whose owners, as read from their streams, are cached. */
export const ownersRememberedMax = 50_000;
/** Cached characters of descriptions before and after sanitising, two bytes each: a share of the memory of the process. */
const sanitized = { part: 1 / 64, characterBytes: 2, charactersMax: 4_000_000 };
export const sanitizedCharacters = (memoryBytes: number): number =>
  Math.min(sanitized.charactersMax, Math.ceil((memoryBytes * sanitized.part) / sanitized.characterBytes));
