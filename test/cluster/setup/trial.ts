import { setTimeout as pause } from 'node:timers/promises';
import { ownName } from '@waymark/test-engines/test-engines.ts';
import { type Client, openClient } from '../../api/client.ts';
import { type Application, bodyOf, openSession, tokenCall } from '../../api/session.ts';
import { type Random, randomFrom } from '../../crash/random.ts';
import { factsOf, withLog } from '../history/facts.ts';
import { described, type Entry, isWrite } from '../history/history.ts';
import { judge } from '../history/judge.ts';
import { type AccountLoad, accountLoad, isRetryable } from '../load/account-load.ts';
import { type RequestError, type TokenLoad, tokenLoad } from '../load/token-load.ts';
import type { Cluster, ServedCluster } from './cluster.ts';
import { changesWhileIdle, pidsOf, untilAtRest, verificationFindings } from './rest.ts';
import { until } from './until.ts';

const accounts = 3;
const workersOfAccount = 3;
const beforeMs = 400;
/** Bounds that no document promises, for a machine of usual speed. */
const recoveredWithinMs = 90_000;
const answeredWithinMs = 45_000;
const findingsMax = 12;
const refusedNamedMax = 10;
const outputLinesMax = 60;
const saidCharactersMax = 400;

/** A fault that a cluster must survive. */
export type Fault<Place extends ServedCluster = Cluster> = {
  /** Causes the fault, and ends it. `time`: the number of earlier strikes. */
  readonly strike: (cluster: Place, time: number) => Promise<void>;
  /** The kinds of requests that may be refused and retried meanwhile. All other requests are served as usual. */
  readonly refuses: readonly ('reads' | 'writes' | 'tokens')[];
  /** Whether connections may be cut. */
  readonly cuts?: boolean;
  /** The rate of reads that are sent beside those of the workers, whatever the cluster answers. */
  readonly readsPerSecond?: number;
  /** The largest share of the requests that may be asked to retry. */
  readonly refusedShareMax?: number;
  /** Whether readers of two versions of the read models answer meanwhile. */
  readonly twoVersions?: boolean;
  /** Whether no process may end because of it. */
  readonly keepsProcesses?: boolean;
};

/** The measurements of a trial in which all promises were kept. */
export type Figures = {
  readonly requests: number;
  readonly perSecond: number;
  readonly acknowledged: number;
  readonly refused: number;
  readonly lagged: number;
  /** The recovery time of each strike: from its end until a write of every account was visible when it was answered, and all processes were
   * ready. */
  readonly recoveriesMs: readonly number[];
  readonly restMs: number;
};

type Loads = { readonly accounts: readonly AccountLoad[]; readonly tokens: TokenLoad; readonly client: Client };

/** Lets a fault strike under load again and again, each time after the cluster has recovered. Compares all responses with the log. Then the
 * cluster must come to rest and match the log.
 * @param strikes the numbers of the strikes
 * @throws with all findings */
export const trial = async <Place extends ServedCluster>(
  cluster: Place,
  fault: Fault<Place>,
  strikes: readonly number[],
  random: Random,
): Promise<Figures> => {
  const from = cluster.printed().length;
  try {
    return await runTrial(cluster, fault, strikes, random);
  } catch (error) {
    throw new Error(`${(error as Error).message}\nOutput of the processes:\n${recentOutput(cluster, from)}`, { cause: error });
  }
};

const runTrial = async <Place extends ServedCluster>(
  cluster: Place,
  fault: Fault<Place>,
  strikes: readonly number[],
  random: Random,
): Promise<Figures> => {
  const loads = await prepare(cluster);
  const { head } = await withLog((log) => log.state());
  const before = await pidsOf(cluster);
  const ending = new AbortController();
  const startedMs = performance.now();
  const working = work(loads, random, fault.readsPerSecond ?? 0, () => ending.signal.aborted);
  const times: Times[] = [];
  try {
    for (const nth of strikes) {
      await pause(beforeMs + random.below(beforeMs));
      times.push(await strikeOnce(cluster, fault, nth, loads));
    }
    await pause(beforeMs);
  } finally {
    ending.abort();
    await working;
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  for (const one of loads.accounts) await one.settle();
  const restedMs = performance.now();
  await untilAtRest(cluster);
  const restMs = performance.now() - restedMs;
  const [facts, ...findingsAtRest] = await Promise.all([
    factsOf(
      loads.accounts.map(({ account }) => account),
      head,
    ),
    verificationFindings(cluster),
    changesWhileIdle(cluster),
    ...loads.accounts.map((one) => one.readAll().then(() => [])),
  ]);
  loads.client.close();

  const entries = loads.accounts.flatMap((one) => one.entries);
  const findings = [
    ...loads.tokens.findings,
    ...judge({ entries, facts, twoVersions: fault.twoVersions ?? false }),
    ...(fault.keepsProcesses && (await pidsOf(cluster)) !== before ? ['a process has ended'] : []),
    ...unexpectedErrors(fault, entries, loads.tokens, times),
    ...slow(entries, answeredWithinMs * cluster.slowness),
    ...findingsAtRest.flat(),
  ];
  const figures = figuresOf(entries, times, seconds, restMs);
  findings.push(...tooManyRefused(fault, entries, times));
  if (findings.length > 0) throw new Error(`${findings.length} findings:\n${findings.slice(0, findingsMax).join('\n')}`);
  return figures;
};

/** Lines that are logged for every request that was refused or that reached no process. */
const usual = /"msg":"write refused"|\[error\] .* connect\(\) failed/;

/** Returns the last part of the output of the processes since a trial began. */
const recentOutput = ({ printed }: ServedCluster, from: number): string =>
  printed()
    .slice(from)
    .split('\n')
    .filter((line) => !usual.test(line))
    .slice(-outputLinesMax)
    .map((line) => line.slice(0, saidCharactersMax))
    .join('\n');

const prepare = async (cluster: ServedCluster): Promise<Loads> => {
  const client = openClient(cluster.url);
  const register = async (account: string): Promise<Application> =>
    bodyOf<Application>(await cluster.operator('POST', '/applications', { account, name: 'test/cluster', scopes: ['read', 'write'] }), 201);
  const open = async (): Promise<AccountLoad> => {
    const account = ownName('account');
    const application = await register(account);
    const { access_token: token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
    return accountLoad(account, openSession(client.send, application, token));
  };
  const tokens = tokenLoad(cluster.url, await register(ownName('account')));
  return { accounts: await Promise.all(Array.from({ length: accounts }, open)), tokens, client };
};

const work = async (loads: Loads, random: Random, readsPerSecond: number, ending: () => boolean): Promise<void> => {
  const seeds = loads.accounts.map(() => random.below(2 ** 32));
  await Promise.all([
    loads.tokens.run(ending),
    ...loads.accounts.flatMap((one, nth) => {
      const seed = seeds[nth] ?? 0;
      return [
        one.run(workersOfAccount, randomFrom(seed), ending),
        one.readSteadily(readsPerSecond / accounts, randomFrom(seed + 1), ending),
      ];
    }),
  ]);
};

type Times = { readonly struckMs: number; readonly overMs: number; readonly recoveredMs: number };

const strikeOnce = async <Place extends ServedCluster>(cluster: Place, fault: Fault<Place>, nth: number, loads: Loads): Promise<Times> => {
  const withinMs = recoveredWithinMs * cluster.slowness;
  const struckMs = performance.now();
  await fault.strike(cluster, nth);
  const overMs = performance.now();
  // This runs twice. A response just after the end of the fault may come from a process that has not noticed the end yet.
  for (let time = 0; time < 2; time += 1) {
    await Promise.all(loads.accounts.map((one) => until('a write of every account is visible when it is answered', withinMs, one.probe)));
  }
  await until('all processes are ready', withinMs, cluster.ready);
  return { struckMs, overMs, recoveredMs: performance.now() };
};

/** Returns errors that the fault does not excuse: in requests that it must not affect, or at a time when it did not strike. */
const unexpectedErrors = (
  { refuses, cuts = false }: Pick<Fault, 'refuses' | 'cuts'>,
  entries: readonly Entry[],
  tokens: TokenLoad,
  times: readonly Times[],
): readonly string[] => {
  const troubled = entries.filter(({ result }) => isRetryable(result) && !isStillRunning(result));
  const wrongly = troubled.filter(
    ({ requested, result }) => !refuses.includes(isWrite(requested) ? 'writes' : 'reads') || (result.type === 'lost' && !cuts),
  );
  const outside = ({ startedMs, endedMs }: Pick<RequestError, 'startedMs' | 'endedMs'>): boolean =>
    times.every(({ struckMs, recoveredMs }) => endedMs < struckMs || startedMs > recoveredMs);
  const ofTokens = tokens.errors.filter(
    (one) => outside(one) || !refuses.includes(one.what.includes('read') ? 'reads' : 'tokens') || (one.what.endsWith('lost') && !cuts),
  );
  return [
    ...wrongly.map(
      (entry) => `an error in a request that the fault must not affect, ${timeSinceStrike(entry, times)}: ${described(entry)}`,
    ),
    ...troubled.filter(outside).map((entry) => `an error outside of a fault, ${timeSinceStrike(entry, times)}: ${described(entry)}`),
    ...ofTokens.map((one) => `an error with tokens, ${timeSinceStrike(one, times)}: ${one.what}`),
  ];
};

const slow = (entries: readonly Entry[], withinMs: number): readonly string[] =>
  entries
    .filter(({ startedMs, endedMs }) => endedMs - startedMs > withinMs)
    .map((entry) => `answered after ${Math.round(entry.endedMs - entry.startedMs)} ms: ${described(entry)}`);

/** Names some of the requests, from the first to the last, so that the finding says when they were refused. */
const tooManyRefused = ({ refusedShareMax = 1 }: Pick<Fault, 'refusedShareMax'>, entries: readonly Entry[], times: readonly Times[]) => {
  const refused = entries.filter(({ result }) => isRetryable(result));
  if (refused.length <= refusedShareMax * entries.length) return [];
  const step = Math.ceil(refused.length / refusedNamedMax);
  const named = refused.toSorted((one, other) => one.startedMs - other.startedMs).filter((_, nth) => nth % step === 0);
  return [
    `${refused.length} of ${entries.length} requests were asked to retry`,
    ...named.map((entry) => `asked to retry, ${timeSinceStrike(entry, times)}: ${described(entry)}`),
  ];
};

/** Of two concurrent requests with the same key, one gets a 409. */
const isStillRunning = (result: Entry['result']): boolean => result.type === 'unavailable' && result.status === 409;

/** Returns the times relative to the last strike that began before the request ended. */
const timeSinceStrike = ({ startedMs, endedMs }: Pick<RequestError, 'startedMs' | 'endedMs'>, times: readonly Times[]): string => {
  const { struckMs, overMs } = times.findLast((one) => one.struckMs <= endedMs) ?? times[0] ?? { struckMs: 0, overMs: 0 };
  return `${Math.round(startedMs - struckMs)} to ${Math.round(endedMs - struckMs)} ms after a fault of ${Math.round(overMs - struckMs)} ms`;
};

const figuresOf = (entries: readonly Entry[], times: readonly Times[], seconds: number, restMs: number): Figures => {
  const writes = entries.filter(({ requested }) => isWrite(requested));
  return {
    requests: entries.length,
    perSecond: entries.length / seconds,
    acknowledged: writes.filter(({ result }) => result.type === 'done').length,
    refused: entries.filter(({ result }) => isRetryable(result)).length,
    lagged: writes.filter(({ result }) => result.type === 'done' && result.lag).length,
    recoveriesMs: times.map(({ overMs, recoveredMs }) => Math.round(recoveredMs - overMs)),
    restMs: Math.round(restMs),
  };
};
