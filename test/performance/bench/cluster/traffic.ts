import { ask } from '../client.ts';
import type { Target } from '../load.ts';
import { firstNumber, pinpointParts } from '../pinpoint.ts';
import type { Account } from './installation.ts';
import { clusterLimits } from './limits.ts';
import { paced } from './paced.ts';

/** The results of reads and writes that were checked against each other. */
export type TrafficResult = {
  reads: number;
  writes: number;
  lagging: number;
  /** Reads that were due but not sent, because too many were in progress. In that case the rate was not held. */
  leftOut: number;
  readonly failed: string[];
  readonly stale: string[];
};

/** A pinpoint that is edited repeatedly, one edit at a time. Each edit has a higher number. */
type Edited = Target & { isBusy: boolean; acknowledged: number };

type Traffic = {
  readonly base: string;
  readonly accounts: readonly Account[];
  readonly edited: readonly Edited[];
  readonly byToken: ReadonlyMap<string, readonly Edited[]>;
  readonly seen: TrafficResult;
  number: number;
  readsUnderWay: number;
};

/** Sends edits, single reads and pages at a steady rate, until `until` returns true. A read that does not show what was acknowledged before
 * it was sent is stale, whichever process answered it. Any status other than 200 is a failure. */
export const traffic = async (
  base: string,
  accounts: readonly Account[],
  targets: readonly Target[],
  until: () => boolean,
): Promise<TrafficResult> => {
  const edited = targets.map((target) => ({ ...target, isBusy: false, acknowledged: 0 }));
  const byToken = Map.groupBy(edited, ({ token }) => token);
  const seen: TrafficResult = { reads: 0, writes: 0, lagging: 0, leftOut: 0, failed: [], stale: [] };
  const all: Traffic = { base, accounts, edited, byToken, seen, number: firstNumber(), readsUnderWay: 0 };
  await Promise.all([
    paced({ perSecond: clusterLimits.trafficWritesPerSecond, until, work: () => write(all) }),
    paced({
      perSecond: clusterLimits.trafficReadsPerSecond - clusterLimits.trafficPagesPerSecond,
      until,
      work: () => readBounded(all, readOne),
    }),
    paced({ perSecond: clusterLimits.trafficPagesPerSecond, until, work: () => readBounded(all, readPage) }),
  ]);
  return seen;
};

const draw = <One>(ones: readonly One[]): One => ones[Math.floor(Math.random() * ones.length)] as One;

const write = async (all: Traffic): Promise<void> => {
  const { base, edited, seen } = all;
  const one = draw(edited);
  if (one.isBusy) return;
  one.isBusy = true;
  all.number += 1;
  const { number } = all;
  const { status, headers } = await ask(base + one.path, { method: 'PUT', token: one.token, body: pinpointParts.join(String(number)) });
  seen.writes += 1;
  if (status !== 200) recordFailure(seen.failed, `PUT ${one.path}: ${status}`);
  else if (headers['x-read-lag'] === undefined) one.acknowledged = number;
  else seen.lagging += 1;
  one.isBusy = false;
};

/** Sends a read unless too many are in progress. A machine that stalls for a moment must not count as a failed read. */
const readBounded = async (all: Traffic, read: (all: Traffic) => Promise<void>): Promise<void> => {
  if (all.readsUnderWay >= clusterLimits.trafficReadsUnderWayMax) {
    all.seen.leftOut += 1;
    return;
  }
  all.readsUnderWay += 1;
  await read(all).finally(() => {
    all.readsUnderWay -= 1;
  });
};

const readOne = async ({ base, edited, seen }: Traffic): Promise<void> => {
  const one = draw(edited);
  const least = one.acknowledged;
  const { status, body } = await ask(base + one.path, { token: one.token });
  seen.reads += 1;
  if (status === 200) judge(seen, JSON.parse(body), least);
  else recordFailure(seen.failed, `GET ${one.path}: ${status} ${body.slice(0, 200)}`);
};

/** Reads everything that an account has, on one page. */
const readPage = async ({ base, accounts, byToken, seen }: Traffic): Promise<void> => {
  const { token } = draw(accounts);
  const own = byToken.get(token) ?? [];
  const least = new Map(own.map(({ path, acknowledged }) => [path, acknowledged]));
  const { status, body } = await ask(`${base}/v3.0/pinpoints?limit=${clusterLimits.trafficPinpoints}`, { token });
  seen.reads += 1;
  if (status !== 200) return recordFailure(seen.failed, `GET a page: ${status} ${body.slice(0, 200)}`);
  const { results } = JSON.parse(body) as { readonly results: readonly Shown[] };
  if (results.length !== own.length) recordFailure(seen.stale, `a page has ${results.length} instead of ${own.length}`);
  for (const shown of results) judge(seen, shown, least.get(`/v3.0/pinpoints/${shown.id}`) ?? 0);
};

type Shown = { readonly id: number; readonly name: string };

const judge = ({ stale }: TrafficResult, { id, name }: Shown, least: number): void => {
  const version = Number(/(\d+)$/.exec(name)?.[1]);
  if (!(version >= least)) recordFailure(stale, `${id} shows ${version} although ${least} was acknowledged before`);
};

const failuresKept = 20;

const recordFailure = (kept: string[], what: string): void => {
  if (kept.length < failuresKept) kept.push(what);
};
