/** How long, how hard, and how much a process may grow. */
export const soakLimits = {
  minutes: 10,
  accounts: 50,
  /** Pinpoints that are read and edited over and over. */
  pinpointsPerAccount: 4,
  createsPerSecond: 10,
  editsPerSecond: 20,
  readsPerSecond: 80,
  pagesPerSecond: 5,
  tokensPerSecond: 1,
  /** Requests under way; what would come on top while an engine is away is left out. */
  underWayMax: 300,
  requestMs: 30_000,
  sampleEveryMs: 10_000,
  /** From asking a process to collect its garbage to asking it what is left. */
  collectMs: 400,
  /** Caches fill and code is compiled in this share of the time: what grows then is not judged. */
  warmUpShare: 0.35,
  /** Each engine is away for this share of the time, half of it paused and half of it killed. */
  awayShare: 0.15,
  backMs: 120_000,
  lookEveryMs: 200,
  /** A process grows if what it holds rises by more than this, and as fast as this. */
  heldGrowthBytes: 6_000_000,
  heldBytesPerMinute: 400_000,
  residentGrowthBytes: 50_000_000,
  residentBytesPerMinute: 3_000_000,
  /** While an engine is away queues fill: up to here; and once it is back they are given up. */
  awayGrowthBytes: 80_000_000,
  backGrowthBytes: 12_000_000,
} as const;
