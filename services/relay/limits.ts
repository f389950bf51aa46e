import type { BackOffLimits } from '@waymark/timing/back-off.ts';

/** The relay rests after a request: each one costs the broker and the projectors more than its events. */
export const restMs = 5;
/** The relay does not rest after so many events: it is behind. */
export const largeBatchEvents = 100;
/** The interval of watermarks in an idle partition, which report how far the log was read. */
export const watermarkMs = 1_000;
/** How often a standby relay checks whether it should become active. */
export const standbyMs = 100;
/** How often a standby relay checks whether the topic has new records. */
export const tailEveryMs = 2_000;
/** A topic without new records for this long has no active relay, whatever the lease says. */
export const silentMs = 10_000;
/** How long a relay is active without the lease. Then it checks for `silentAgainMs` whether another relay is active. */
export const takeoverMs = 10 * 60 * 1_000;
export const silentAgainMs = 3_000;
/** Pauses after a failure. They start again once there was no failure for `wentWellMs`. */
export const failurePauses: BackOffLimits = { firstMs: 50, lastMs: 2_000, jitter: 0.5 };
export const wentWellMs = 5_000;
/** Of consecutive failures, the first one and then every 20th are logged. */
export const loggedEvery = 20;
/** The maximum number of accounts whose partitions are cached. */
export const accountsMax = 20_000;
