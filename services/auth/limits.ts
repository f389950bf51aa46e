import type { Quota } from '@waymark/http/rate-limits.ts';

/** Every limit of the auth service, in one place. */

/** Failed requests for one client id from one address. */
export const failuresQuota: Quota = { name: 'failures', points: 10, seconds: 60 };
/** All requests for one client id from one address. */
export const requestsQuota: Quota = { name: 'tokens', points: 6_000, seconds: 60 };
export const attemptsMax = 8;
export const applicationsListedMax = 10_000;
/** Accounts whose names are looked up at the same time. */
export const accountsAskedAtOnce = 64;
