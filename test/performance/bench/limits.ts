/** The extent of the measurements, and the bounds of all waits and repetitions. */

export type Rounds = {
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly warmUpSeconds: number;
  /** How many rounds of one row are repeated because other programs worked meanwhile. */
  readonly repeatsMax: number;
};

export type Scale = Rounds & {
  readonly starts: number;
  /** The number of pinpoints that the log has at least before a rebuild is timed. */
  readonly rebuiltPinpoints: number;
};

export const full: Scale = {
  rounds: 5,
  roundSeconds: 4,
  warmUpSeconds: 1,
  repeatsMax: 5,
  starts: 7,
  rebuiltPinpoints: 200_000,
};
export const quick: Scale = {
  rounds: 4,
  roundSeconds: 1,
  warmUpSeconds: 1,
  repeatsMax: 5,
  starts: 5,
  rebuiltPinpoints: 50_000,
};

export const limits = {
  connections: 64,
  existingPinpoints: 10_000,
  manyPinpoints: 1_000_000,
  pageSize: 20,
  /** The page size for counting the existing pinpoints. */
  walkPageSize: 500,
  walkPages: 200_000,
  /** The number of different paths from which one load chooses. */
  drawnPaths: 100_000,
  growSeconds: 5,
  idleSeconds: 5,
  growTries: 100,
  settleMs: 200,
  /** How long the history and the notary take at most until they look for what was written last. */
  followMs: 1_000,
  /** A round during which other programs kept more of a core busy than this is repeated. */
  foreignCoresMax: 0.2,
  /** The number of synced writes that measure the disk, and their size. */
  syncs: 100,
  syncBytes: 4_096,
  /** Long enough for a server under valgrind, as `stopMs` and `callMs` are. */
  readyMs: 180_000,
  /** A request that takes longer counts as unanswered. */
  answerSeconds: 10,
  /** Single requests after each load, whose responses are checked in detail. */
  probes: 5,
  /** The interval at which a starting server is polled, which is the error of the measured start-up time. */
  readyPollMs: 2,
  stopMs: 60_000,
  callMs: 60_000,
  rebuildMs: 120_000,
  generatorGraceMs: 20_000,
} as const;
