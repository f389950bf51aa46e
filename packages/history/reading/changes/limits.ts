/** What a page of changes may read. */
export type ChangesLimits = {
  /** Entries that are read at once, and objects that are compared at once. */
  readonly together: number;
  /** Index entries that a page reads at most: then it ends early. The caller asks on, for some time, until it has something. */
  readonly readsMax: number;
  /** Members of a list that are compared one by one for each page. In a longer list, the account's entries are searched for changed members. */
  readonly membersMax: number;
};

export const changesLimits: ChangesLimits = { together: 50, readsMax: 18_000, membersMax: 1_000 };

/** Things of one kind that a deletion's line counts at most. */
export const endedMax = 20;
/** Index entries that such a count reads at most. */
export const endedReads = 60;
