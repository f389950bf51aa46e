/** A `read` with all its queries. */
export const readMs = 5_000;
/** Entries, and values of revisions, that one `read` remembers. */
export const rememberedMax = 1_000;
/** Intervals, or changes of relations, that one query returns. */
export const rowsTogether = 200;
/** Intervals of one item in all sets that one query returns. */
export const intervalsTogether = 1_000;
/** Intervals of one item in one set that are read at most in a range. */
export const intervalsMax = 10_000;
/** Intervals of a set that one query examines at most. */
export const itemsTogether = 1_000;
/** Rows that one step of cleaning reads or changes at most. */
export const stepRows = 1_000;
