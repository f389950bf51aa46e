/** How often the soak runs what CI runs a few times. */
export const soakRuns = {
  /** Faults of each kind that strike notaries, and undo jobs that are killed. */
  WAYMARK_NOTARY_FAULTS: '20',
  WAYMARK_UNDO_KILLS: '20',
  /** Logs that are tampered with. */
  WAYMARK_TAMPERINGS: '1000',
  /** Histories in which an undo reports the same as its dry run. */
  WAYMARK_UNDO_HISTORIES: '500',
} as const;

/** The duration and the load of a soak, and how much a process may grow. */
export const soakLimits = {
  minutes: 10,
  accounts: 50,
  /** Pinpoints that are read and edited repeatedly. */
  pinpointsPerAccount: 4,
  createsPerSecond: 10,
  editsPerSecond: 20,
  readsPerSecond: 80,
  pagesPerSecond: 5,
  tokensPerSecond: 1,
  /** The largest number of requests in progress. Requests beyond it, while an engine is unavailable, are left out. */
  underWayMax: 300,
  requestMs: 30_000,
  sampleEveryMs: 10_000,
  /** The time between asking a process to collect its garbage and reading its memory. */
  collectMs: 400,
  /** Caches fill and code is compiled in this share of the time, so growth in this time is not judged. */
  warmUpShare: 0.35,
  /** Each engine is unavailable for this share of the time: paused for half of it, and killed for half of it. */
  unavailableShare: 0.15,
  backMs: 120_000,
  pollEveryMs: 200,
  /** A process grows if the memory that it holds rises by more than this, and faster than this. */
  heldGrowthBytes: 6_000_000,
  heldBytesPerMinute: 400_000,
  residentGrowthBytes: 50_000_000,
  residentBytesPerMinute: 3_000_000,
  /** Queues fill while an engine is unavailable, up to the first limit. Once it is back, they are emptied: at most the second limit
   * remains. */
  unavailableGrowthBytes: 80_000_000,
  backGrowthBytes: 12_000_000,
} as const;
