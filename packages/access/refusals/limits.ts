/** All limits of the record of refused requests. */

/** The refused requests of an account that a process keeps between two of its appends. It counts the others. */
export const keptPerAccountMax = 100;
/** The refused requests of all accounts that a process keeps in memory. It counts the others. */
export const keptMax = 5_000;
/** The accounts, by day, whose refused requests a process keeps or counts. It ignores those of others, and logs their number. */
export const accountsMax = 10_000;
/** The streams that a process appends to at the same time. */
export const appendsAtOnce = 16;
/** The number of conflicts after which an append waits for the next run. Each means that another process has appended. */
export const conflictsMax = 16;
/** How long a stopping process tries to append its last refusals. */
export const lastAppendMs = 1_000;
/** The number of times that a page reads from its stream, each time at most `readEventsMax` events. */
export const readsPerPageMax = 5;
