/** How much is measured, and the bound of everything that waits or repeats. */

export type Rounds = { readonly rounds: number; readonly roundSeconds: number; readonly warmUpSeconds: number };

export type Scale = Rounds & {
  readonly starts: number;
  /** The log is at least this long before a rebuild is timed. */
  readonly rebuiltPinpoints: number;
};

export const full: Scale = {
  rounds: 5,
  roundSeconds: 4,
  warmUpSeconds: 1,
  starts: 7,
  rebuiltPinpoints: 200_000,
};
export const quick: Scale = {
  rounds: 4,
  roundSeconds: 1,
  warmUpSeconds: 1,
  starts: 5,
  rebuiltPinpoints: 50_000,
};

export const limits = {
  connections: 64,
  existingPinpoints: 10_000,
  manyPinpoints: 1_000_000,
  pageSize: 20,
  /** Page size while counting what there is. */
  walkPageSize: 500,
  walkPages: 200_000,
  /** Different paths that one load draws from. */
  drawnPaths: 100_000,
  growSeconds: 5,
  idleSeconds: 5,
  growTries: 100,
  settleMs: 200,
  readyMs: 30_000,
  /** What takes longer counts as no answer. */
  answerSeconds: 10,
  /** Single requests after each load, whose answers are looked at closely. */
  probes: 5,
  /** How often a starting server is asked; the error of the start-up figure. */
  readyPollMs: 2,
  stopMs: 15_000,
  callMs: 10_000,
  rebuildMs: 120_000,
  generatorGraceMs: 20_000,
} as const;
