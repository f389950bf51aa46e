/** The checkpoints with which a log is compared at most: the last one, and others at equal distances. Each takes two hashes for each account. */
export const comparedMax = 200;

/** The findings of a check of a log, of each kind. */
export const findingsMax = 100;

/** How long `verify` waits for the key of a notary that has just started, or is slow to answer. */
export const keyWithinMs = 10_000;
export const keyPollMs = 100;

/** How long `verify` waits for the first checkpoint of an origin: a little longer than the default interval of the notary. */
export const firstCheckpointWithinMs = 70_000;
export const firstCheckpointPollMs = 1_000;
