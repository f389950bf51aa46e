/** Every limit of an import, in one place. */

/** Events in one order; whoever sends them keeps the body below what a body may have. */
export const batchEventsMax = 1_000;
/** Files whose presence is asked for in one order, and of the store at once. */
export const filesAskedMax = 1_000;
export const filesAskedAtOnce = 32;
/** Consecutive events of one stream that are appended together, and their characters of content: far below what an append may have. */
export const runEventsMax = 100;
export const runCharactersMax = 250_000;
/** Appends on their way to the log at once. */
export const appendsInFlightMax = 256;
/** How long the outcome of an append that was cut off is looked for. */
export const undecidedMs = 5_000;
export const undecidedPauseMs = 100;
/** The largest id that an import may bring: the ids above are left to the installation itself. */
export const importedIdMax = 2 ** 52;
/** Ids that are left to an installation whose export is not final: what it gives out until then is its own. */
export const idsAhead = 1_000_000;
/** Tries to reserve ids while others do. */
export const attemptsMax = 8;
