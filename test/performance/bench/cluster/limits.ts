import type { Rounds } from '../limits.ts';

/** How much of the cluster is measured, and the bound of everything that waits or repeats. */
export type ClusterScale = Rounds & {
  /** Events that relay and projector find when they start. */
  readonly backlogEvents: number;
  readonly backlogRounds: number;
  /** The rate at which lag is measured, and how long it lasts. */
  readonly writesPerSecond: number;
  readonly heldSeconds: number;
  /** Events that a rebuild goes through, at least. */
  readonly rebuiltEvents: number;
};

export const quick: ClusterScale = {
  rounds: 2,
  roundSeconds: 3,
  warmUpSeconds: 3,
  backlogEvents: 20_000,
  backlogRounds: 1,
  writesPerSecond: 500,
  heldSeconds: 8,
  rebuiltEvents: 20_000,
};

export const usual: ClusterScale = {
  rounds: 4,
  roundSeconds: 6,
  warmUpSeconds: 6,
  backlogEvents: 60_000,
  backlogRounds: 2,
  writesPerSecond: 500,
  heldSeconds: 20,
  rebuiltEvents: 50_000,
};

export const full: ClusterScale = { ...usual, rebuiltEvents: 1_000_000 };

export const clusterLimits = {
  accounts: 50,
  /** Pinpoints of each that single reads draw from. */
  pinpointsPerAccount: 100,
  /** Writes whose coming into sight is watched through another gateway meanwhile. */
  watchedPerSecond: 10,
  watchEveryMs: 1,
  watchedMs: 10_000,
  /** Requests under way that a held rate may come to; beyond that it is not held. */
  underWayMax: 2_000,
  /** Appends under way while a log is filled. */
  appendsUnderWay: 64,
  /** Traffic beside a rebuild. */
  trafficAccounts: 10,
  trafficPinpoints: 20,
  trafficWritesPerSecond: 50,
  trafficReadsPerSecond: 200,
  /** Of these reads. */
  trafficPagesPerSecond: 40,
  trafficReadsUnderWayMax: 200,
  /** Until something has caught up, or is ready. */
  caughtUpMs: 180_000,
  rebuildMs: 30 * 60_000,
  lookEveryMs: 100,
  idleMs: 1_000,
  /** No row is begun later than this, so that a run ends in time; a rebuild of a million goes on for as long as it takes. */
  runMs: 10 * 60_000,
} as const;
