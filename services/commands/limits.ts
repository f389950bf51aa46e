/** All limits of the command services. */

/** Consecutive conflicts after which a writer gets the response to try again later. */
export const attemptsMax = 8;
/** How long the log is read for the outcome of an interrupted append. */
export const undecidedMs = 5_000;
export const undecidedPauseMs = 100;
/** Writers that may wait for one stream. */
export const waitersPerStreamMax = 256;
/** How long a writer waits for its turn. While the log does not answer, each writer before it must time out on its own. */
export const turnMs = 5_000;
/** How long a claim of an idempotency key is valid. */
export const keyHoldsMs = 24 * 60 * 60 * 1000;
export const categoriesCachedMax = 10_000;
/** Objects whose owners, as read from their streams, are cached. */
export const ownersRememberedMax = 50_000;
/** Cached characters of descriptions before and after sanitising, two bytes each: a share of the memory of the process. */
const sanitized = { part: 1 / 64, characterBytes: 2, charactersMax: 4_000_000 };
export const sanitizedCharacters = (memoryBytes: number): number =>
  Math.min(sanitized.charactersMax, Math.ceil((memoryBytes * sanitized.part) / sanitized.characterBytes));
