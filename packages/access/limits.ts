import type { CacheShare } from '@waymark/http/limits.ts';

/** Bearer headers, and applications, that are remembered. */
export const accessesCached: CacheShare = { part: 1 / 64, entryBytes: 1_000, entriesMax: 10_000 };
/** Longer headers are looked at anew each time: they are none of ours. */
export const authorizationCharactersCachedMax = 128;
/** How long what a process knows of a token or an application is good without asking again. */
export const knowledgeFreshMs = 1_000;
/** Applications, or clients and their addresses, whose requests are counted at once. */
export const rateLimitKeys: CacheShare = { part: 1 / 64, entryBytes: 700, entriesMax: 50_000 };
/** Conflicts in a row after which a change of an application is told to try again later. */
export const attemptsMax = 8;
export const applicationsListedMax = 10_000;
/** Accounts whose names are looked up at the same time. */
export const accountsAskedAtOnce = 64;
