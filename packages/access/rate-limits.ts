import { type HttpError, throttled } from '@waymark/http/errors.ts';
import { type Known, whenKnown } from '@waymark/http/known.ts';
import type { Quota, RateLimit } from '@waymark/http/rate-limit.ts';
import type { WindowCount, WindowCounters } from './window-counters.ts';

/** Counts requests in the memory of this process. */
export const createMemoryRateLimit = (quota: Quota, counters: WindowCounters): RateLimit => limitBy(quota, counterIn(counters, quota));

/** Counts the keys of one quota. */
export type Counter = {
  /** Adds one, and returns the count with it. */
  readonly add: (key: string) => Known<WindowCount>;
  /** Returns the count; `noCount` if no window of the key is open. */
  readonly get: (key: string) => Known<WindowCount>;
};

export const counterIn = (counters: WindowCounters, quota: Quota): Counter => ({
  add: (key) => counters.add(quota, key),
  get: (key) => counters.get(quota, key),
});

export const limitBy = (quota: Quota, counter: Counter): RateLimit => ({
  take: (key) =>
    whenKnown(counter.add(key), (count) => {
      if (count.points > quota.points) throw refusal(quota, count);
    }),
});

/** Returns the response to a request above the quota. */
export const refusal = (quota: Quota, { msBeforeNext }: WindowCount): HttpError => {
  const seconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
  return throttled(seconds, {
    RateLimit: `"${quota.name}";r=0;t=${seconds}`,
    'RateLimit-Policy': `"${quota.name}";q=${quota.points};w=${quota.seconds}`,
  });
};
