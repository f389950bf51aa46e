/** A `read` with all its queries. */
export const readMs = 5_000;
/** Rows of each kind that one `read` remembers. */
export const rememberedMax = 1_000;
/** Keys of one query, and those that wait for the next ones. */
export const keysTogether = 1_000;
export const keysWaitingMax = 100_000;
/** Revisions of several objects that one query for their last entries at an earlier position passes. Objects that would exceed it are searched
 * one by one. */
export const revisionsTogether = 500;
/** Intervals, or changes of relations, that one query returns. */
export const rowsTogether = 200;
/** Intervals of one item in all sets that one query returns. */
export const intervalsTogether = 1_000;
/** Intervals of each item that one query for several items expects. */
export const intervalsOfItem = 10;
/** Intervals of one item in one set that are read at most in a range. */
export const intervalsMax = 10_000;
/** Intervals of a set that one query reads at most; and how many a walk reads first, for each item that it looks for. */
export const itemsTogether = 1_000;
export const itemsTogetherFirst = 2;
/** Ids that a walk reads first, for each item that it looks for; and at least. */
export const idsFirst = 5;
export const idsTogetherFirst = 50;
/** Blocks of ids whose spans one query reads. A large block has 256 small ones. */
export const blocksTogether = 256;
/** Memberships of pinpoints that one transaction of several events reads, and begins or ends: it writes some five rows for each. */
export const membershipsTogether = 2_000;
/** Accounts of one partition whose clocks a process knows. */
export const clocksMax = 200;
/** Intervals that one step of cleaning reads or changes at most, each with two changes of relations: the step is one transaction, which a busy
 * server must be able to end in time. */
export const stepRows = 200;
/** Entries whose values one step of cleaning removes at most: a value may have some hundred kilobytes, and the step is one transaction. */
export const valueRows = 50;
/** The least share of these rows that a step has after failures, and how its share grows with each step that ends in time. */
export const shareMin = 1 / stepRows;
export const shareGrowth = 1.1;
