import type { Known } from './known.ts';

/** The limit of a key within a time window. */
export type Quota = { readonly name: string; readonly points: number; readonly seconds: number };

/** Counts requests by key, and refuses a key that is above its quota.
 * @throws HttpError 429 */
export type RateLimit = {
  /** Counts one request. Refuses it if the key is above its quota. */
  readonly take: (key: string) => Known<void>;
};

export const noRateLimit: RateLimit = { take: () => undefined };

/** Limits failed guesses by key. */
export type FailureLimit = {
  /** Runs an attempt, and counts it if it is a failed guess. An attempt that could exceed the quota waits for the attempts in progress.
   * @throws HttpError 429 without running the attempt, once the quota is used up; otherwise what the attempt throws */
  readonly attempt: <Result>(key: string, attempt: () => Promise<Result>) => Promise<Result>;
};

export const noFailureLimit: FailureLimit = { attempt: (_key, attempt) => attempt() };
