/** An idle partition is told so often how far the log was read. */
export const watermarkMs = 1_000;
/** Who stands by looks so often whether it is its turn. */
export const standbyMs = 100;
/** A relay that stands by looks so often whether the topic has new records. */
export const tailEveryMs = 2_000;
/** A topic that has had none for so long has no active relay, whatever the lease says. */
export const silentMs = 10_000;
/** So long a relay is active without the lease; then it looks for `silentAgainMs` whether another one is. */
export const takeoverMs = 10 * 60 * 1_000;
export const silentAgainMs = 3_000;
/** Pauses after a failure: the first, doubled each time up to the last, and from the first again once all went well for a while. */
export const pauseFirstMs = 50;
export const pauseLastMs = 2_000;
export const wentWellMs = 5_000;
/** Failures in a row are told: the first, and every so many. */
export const toldEvery = 20;
/** Accounts whose partitions are remembered. */
export const accountsMax = 20_000;
