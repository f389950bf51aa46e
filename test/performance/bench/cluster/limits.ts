import type { Rounds } from '../limits.ts';

/** The extent of the cluster measurements, and the bounds of all waits and repetitions. */
export type ClusterScale = Rounds & {
  /** The number of events in the backlog when the relay and the projector start. */
  readonly backlogEvents: number;
  readonly backlogRounds: number;
  /** The write rate at which the lag is measured, and how long that lasts. */
  readonly writesPerSecond: number;
  readonly heldSeconds: number;
  /** The smallest number of events that a rebuild processes. */
  readonly rebuiltEvents: number;
};

export const quick: ClusterScale = {
  rounds: 2,
  roundSeconds: 3,
  warmUpSeconds: 3,
  // The table names all that kept cores busy.
  repeatsMax: 0,
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
  repeatsMax: 0,
  backlogEvents: 60_000,
  backlogRounds: 2,
  writesPerSecond: 500,
  heldSeconds: 20,
  rebuiltEvents: 50_000,
};

export const full: ClusterScale = { ...usual, rebuiltEvents: 1_000_000 };

export const clusterLimits = {
  accounts: 50,
  /** Pinpoints in each account from which single reads choose. */
  pinpointsPerAccount: 100,
  /** Updates per second whose visibility is watched through another gateway meanwhile. */
  watchedPerSecond: 10,
  watchEveryMs: 1,
  watchedMs: 10_000,
  /** The largest number of requests in progress at a fixed rate. Above it, the rate is not held. */
  underWayMax: 2_000,
  /** Appends in progress while a log is filled. */
  appendsUnderWay: 64,
  /** Traffic during a rebuild. */
  trafficAccounts: 10,
  trafficPinpoints: 20,
  trafficWritesPerSecond: 50,
  trafficReadsPerSecond: 200,
  /** The part of these reads that requests pages. */
  trafficPagesPerSecond: 40,
  trafficReadsUnderWayMax: 200,
  /** The time limit until a process has caught up or is ready. */
  caughtUpMs: 180_000,
  rebuildMs: 30 * 60_000,
  pollEveryMs: 100,
  idleMs: 1_000,
  /** No row starts later than this, so that a run ends in time. A rebuild of a million events continues for as long as it takes. */
  runMs: 10 * 60_000,
} as const;
