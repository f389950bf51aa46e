import type { Quota } from '@waymark/http/rate-limit.ts';

/** All limits of the auth service. */

/** The time within which a client above its address's limit of requests in progress must have sent its form. */
export const formAtOnceMs = 1_000;
/** The quota of authenticated requests for one client id from one address. */
export const requestsQuota: Quota = { name: 'tokens', points: 6_000, seconds: 60 };
