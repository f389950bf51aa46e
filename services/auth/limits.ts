import type { Quota } from '@waymark/http/rate-limit.ts';

/** Every limit of the auth service, in one place. */

/** Above its address's limit of requests in progress, a client must have sent its form by then. */
export const formAtOnceMs = 1_000;
/** Of a client id, in the key that its requests are counted by. */
export const clientIdCharactersCounted = 64;
/** Authenticated requests for one client id from one address. */
export const requestsQuota: Quota = { name: 'tokens', points: 6_000, seconds: 60 };
