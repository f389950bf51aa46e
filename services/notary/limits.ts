/** All limits of a notary. */

/** Accounts whose roots are computed before other work of the thread can run: about 5 ms. */
export const accountsAtOnce = 250;
/** How long a notary that stops waits until it has read what the log has, in milliseconds. */
export const lastReadMs = 2_000;
/** After how many failed attempts with the same cause the error is logged again. */
export const loggedEvery = 10;
/** The keys of a notary: the one that signs, and during a rotation the one before. */
export const keysMax = 2;
/** How often a wait looks whether it has to end, in milliseconds. */
export const watchMs = 250;
/** After how many intervals the log is read and compared again after it contradicted what was signed. */
export const contradictedIntervals = 10;
/** After how many intervals a notary reads the log again that was not the first to sign: until then, the other one shows whether it goes on. */
export const otherNotaryIntervals = 2;
/** How long a notary that starts waits for the first checkpoint of another one, which the log has and the place does not have yet. */
export const publishedWithinMs = 2_000;
/** The proof store gets the events of this time together, or this many of them: each step writes the last tile of every account again. */
export const storeEveryMs = 1_000;
export const storeStepEvents = 1_000;
/** How many events the notary keeps for the proof store while it is unavailable: a few megabytes. With more, it reads the log again. */
export const keptForStoreMax = 10_000;
