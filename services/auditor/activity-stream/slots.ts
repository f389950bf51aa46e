import { type OpenAmounts, oneLess, oneMore } from '@waymark/http/counters/open-amounts.ts';
import { throttled } from '@waymark/http/errors.ts';
import { retryAfterSeconds } from '@waymark/http/limits.ts';
import { applicationStreamsMax, streamsMax } from '../limits.ts';

/** Counts a stream of an application as open, in all threads of the process. Returns the function that ends that.
 * @throws HttpError 429 above the limits */
export const takeSlot = ({ change, totals: { streams } }: OpenAmounts, application: string): (() => void) => {
  const key = `streams:${application}`;
  if (!change(key, oneMore(applicationStreamsMax))) throw throttled(retryAfterSeconds);
  if (!streams.change(oneMore(streamsMax))) {
    change(key, oneLess);
    throw throttled(retryAfterSeconds);
  }
  return () => {
    change(key, oneLess);
    streams.change(oneLess);
  };
};
