/** Every limit of the command services, in one place. */

/** Conflicts in a row after which a writer is told to try again later. */
export const attemptsMax = 8;
/** How long the outcome of an append that was cut off is looked for. */
export const undecidedMs = 5_000;
export const undecidedPauseMs = 100;
/** Writers that wait for one stream. */
export const waitersPerStreamMax = 256;
/** How long they wait for their turn: the log may stand still, and each before them finds out by itself. */
export const turnMs = 5_000;
/** How long an idempotency key holds. */
export const keyHoldsMs = 24 * 60 * 60 * 1000;
export const categoriesCachedMax = 10_000;
/** Objects whose owners are remembered, as their streams tell them. */
export const ownersRememberedMax = 50_000;
/** Characters of descriptions, before and after sanitising, that are remembered, of two bytes each: a part of the process's memory. */
const sanitized = { part: 1 / 64, characterBytes: 2, charactersMax: 4_000_000 };
export const sanitizedCharacters = (memoryBytes: number): number =>
  Math.min(sanitized.charactersMax, Math.ceil((memoryBytes * sanitized.part) / sanitized.characterBytes));
