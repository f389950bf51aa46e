import type { CacheShare } from '@waymark/http/limits.ts';

/** The bearer headers, and the applications, that a process caches. */
export const accessesCached: CacheShare = { part: 1 / 64, entryBytes: 1_000, entriesMax: 10_000 };
/** Longer headers are not cached: no token of this installation is that long. */
export const authorizationCharactersCachedMax = 128;
/** How long a process uses the cached state of a token or an application without querying it again. */
export const knowledgeFreshMs = 1_000;
/** The keys (applications, or clients and their addresses) whose requests are counted at the same time. */
export const rateLimitKeys: CacheShare = { part: 1 / 64, entryBytes: 700, entriesMax: 50_000 };
/** After this number of consecutive conflicts, a change of an application is refused: the operator has to try again later. */
export const attemptsMax = 8;
export const applicationsListedMax = 10_000;
/** The number of accounts whose names are read concurrently. */
export const accountReadsConcurrent = 64;
