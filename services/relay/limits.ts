/** An idle partition is told so often how far the log was read. */
export const watermarkMs = 1_000;
/** Who stands by looks so often whether it is its turn. */
export const standbyMs = 100;
/** Pauses after a failure: the first, doubled each time up to the last, and from the first again once all went well for a while. */
export const pauseFirstMs = 50;
export const pauseLastMs = 2_000;
export const wentWellMs = 5_000;
/** Failures in a row are told: the first, and every so many. */
export const toldEvery = 20;
/** Accounts whose partitions are remembered. */
export const accountsMax = 20_000;
