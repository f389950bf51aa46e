/** How much a key may do in a window. */
export type Quota = { readonly name: string; readonly points: number; readonly seconds: number };

/** Counts by key; a key above its quota is told to wait.
 * @throws HttpError 429 */
export type RateLimit = {
  /** Counts one, and refuses above the quota. */
  readonly take: (key: string) => Promise<void>;
};

export const noRateLimit: RateLimit = { take: () => Promise.resolve() };

/** Limits failed guesses by key. */
export type FailureLimit = {
  /** Makes an attempt, and counts it if it is a failed guess. An attempt that could exceed the quota waits for those in progress.
   * @throws HttpError 429 without an attempt, once the quota is used up; else what the attempt throws */
  readonly attempt: <Result>(key: string, attempt: () => Promise<Result>) => Promise<Result>;
};

export const noFailureLimit: FailureLimit = { attempt: (_key, attempt) => attempt() };
