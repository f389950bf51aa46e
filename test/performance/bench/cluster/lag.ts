import { setTimeout as pause } from 'node:timers/promises';
import { ask, call } from '../client.ts';
import type { Target } from '../load.ts';
import { firstNumber, pinpointParts } from '../pinpoint.ts';
import { bucketQuantile, quantile } from '../statistics.ts';
import { clusterLimits } from './limits.ts';
import { after, paced } from './paced.ts';
import { scrapedBuckets } from './scrape.ts';

/** Percentiles in milliseconds. */
export type Times = { readonly p50Ms: number; readonly p99Ms: number };

export type LagResult = {
  /** From an event's time, which is set before its append, to its commit in the read models. */
  readonly lag: Times;
  /** From sending a create to its response, which confirms that all readers see it. */
  readonly answered: Times;
  /** From sending an update to another gateway's first response that shows it. */
  readonly seen: Times | undefined;
  /** The number of responses that did not confirm visibility. */
  readonly lagging: number;
};

export type HeldOptions = {
  readonly base: string;
  readonly tokens: readonly string[];
  readonly perSecond: number;
  readonly seconds: number;
  /** The operator URLs of the processes that report the lag. */
  readonly projectors: readonly string[];
  /** The gateway on which updates are watched, and the pinpoints that are updated. */
  readonly watch?: { readonly base: string; readonly targets: readonly Target[] };
};

/** Creates pinpoints at a fixed rate, and measures how long each takes until all readers see it. */
export const createAtRate = async ({ base, tokens, perSecond, seconds, projectors, watch }: HeldOptions): Promise<LagResult> => {
  let number = firstNumber();
  let lagging = 0;
  const answered: number[] = [];
  const seen: number[] = [];
  const create = async (): Promise<void> => {
    number += 1;
    const token = tokens[number % tokens.length] ?? '';
    const startedMs = performance.now();
    const { status, headers } = await ask(`${base}/v3.0/pinpoints`, { method: 'POST', token, body: pinpointParts.join(String(number)) });
    answered.push(performance.now() - startedMs);
    if (status !== 201) throw new Error(`POST ${base}: ${status}`);
    if (headers['x-read-lag'] !== undefined) lagging += 1;
  };
  const update = async (): Promise<void> => {
    number += 1;
    const target = watch?.targets[number % watch.targets.length];
    if (watch && target) seen.push(await measureVisibility(base, watch.base, target, number));
  };
  const before = await scrapedBuckets(projectors, lagMetric, ofHistory);
  const until = after(seconds);
  await Promise.all([paced({ perSecond, until, work: create }), paced({ perSecond: clusterLimits.watchedPerSecond, until, work: update })]);
  const buckets = await scrapedBuckets(projectors, lagMetric, ofHistory);
  const since = buckets.map(({ most, count }, index) => ({ most, count: count - (before[index]?.count ?? 0) }));
  return {
    lag: { p50Ms: bucketQuantile(since, 0.5) * 1_000, p99Ms: bucketQuantile(since, 0.99) * 1_000 },
    answered: timesOf(answered),
    seen: watch && timesOf(seen),
    lagging,
  };
};

const lagMetric = 'waymark_projection_lag_seconds';
/** The history may be behind: no reader of the content waits for it. */
const ofHistory = 'generation="history.';

const timesOf = (times: readonly number[]): Times => ({ p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) });

/** Sends an update, and polls another gateway until it shows the update.
 * @returns milliseconds since the update was sent */
const measureVisibility = async (base: string, elsewhere: string, { path, token }: Target, number: number): Promise<number> => {
  const startedMs = performance.now();
  const [tookMs] = await Promise.all([
    pollUntilShown(elsewhere + path, token, String(number), startedMs),
    call(base + path, { method: 'PUT', token, body: pinpointParts.join(String(number)) }),
  ]);
  return tookMs;
};

const pollUntilShown = async (url: string, token: string, shows: string, startedMs: number): Promise<number> => {
  for (;;) {
    const { status, body } = await ask(url, { token });
    const tookMs = performance.now() - startedMs;
    if (status === 200 && (JSON.parse(body) as { readonly name: string }).name.includes(shows)) return tookMs;
    if (tookMs > clusterLimits.watchedMs) throw new Error(`${url} did not show an update within ${clusterLimits.watchedMs} ms`);
    await pause(clusterLimits.watchEveryMs);
  }
};
