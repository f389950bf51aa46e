import type { BackOffLimits } from '@waymark/timing/back-off.ts';

/** All limits of the code that uses Redis, in one place. */

/** How long a command may wait for an answer before it fails, in milliseconds. Redis delays no caller for longer. */
export const commandTimeoutMs = 200;
/** How long a connection may be silent while an answer is due, in milliseconds. It is then cut. The commands that wait on it are bounded by
 * what is sent until then; afterwards commands fail at once. */
export const silenceMs = 1_000;
export const connectTimeoutMs = 1_000;
/** How long a closed connection waits for its other end to close before it is cut, in milliseconds. */
export const disconnectMs = 200;
/** The pauses between tries to connect. */
export const reconnectPauses: BackOffLimits = { firstMs: 50, lastMs: 1_000, jitter: 0.25 };
/** How often a Redis that is still loading its file is tried again, in milliseconds. */
export const loadingRetryMs = 500;
/** How long Redis has to be unavailable before this is logged, in milliseconds. */
export const logUnavailableAfterMs = 1_000;

/** How long after its last renewal a lease ends by itself, in milliseconds. */
export const leaseMs = 3_000;
/** How often a lease is renewed, and how often other processes try to take it, in milliseconds. */
export const leaseRenewMs = 500;
