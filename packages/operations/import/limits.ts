/** All limits of an import. */

/** The number of events in one request. The sender also keeps the body below the limit for bodies. */
export const batchEventsMax = 1_000;
/** The number of files in one request for missing files, and the number of concurrent queries of the store. */
export const filesAskedMax = 1_000;
export const filesAskedAtOnce = 32;
/** The number of consecutive events of one stream that are appended together, and their characters of content: far below the limits of an
 * append. */
export const runEventsMax = 100;
export const runCharactersMax = 250_000;
/** The number of concurrent appends, each of another account. */
export const appendsInFlightMax = 256;
/** The largest id that an import may contain: the ids above are left to the installation itself. */
export const importedIdMax = 2 ** 52;
/** The number of ids that are reserved above the highest id of an export that is not final: the source gives them out until the final
 * export. */
export const idsAhead = 1_000_000;
/** The number of tries to reserve ids while other processes do so. */
export const attemptsMax = 8;
