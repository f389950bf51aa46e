import type { CacheShare } from '@waymark/http/limits.ts';

export { slotsOfBucket } from '@waymark/http/limits.ts';

/** The bearer headers, and the applications, that a process caches. */
export const accessesCached: CacheShare = { part: 1 / 64, entryBytes: 1_000, entriesMax: 10_000 };
/** Longer headers are not cached: no token of this installation is that long. */
export const authorizationCharactersCachedMax = 128;
/** How long a process uses the cached state of a token or an application without querying it again. */
export const knowledgeFreshMs = 1_000;
/** The table in which a process counts requests by key (application, or client and address): 65,536 keys at the same time, in 1.3 MB. */
export const bucketsOfCounters = 2_048;
/** The keys whose place in that table a thread caches. */
export const countedKeysCached: CacheShare = { part: 1 / 256, entryBytes: 400, entriesMax: 10_000 };
/** How long an attempt that could exceed a limit waits for the attempts of other threads before it looks again. */
export const attemptsPollMs = 10;
/** After this number of consecutive conflicts, a change of an application is refused: the operator has to try again later. */
export const attemptsMax = 8;
export const applicationsListedMax = 10_000;
/** The number of accounts whose names are read concurrently. */
export const accountReadsConcurrent = 64;
