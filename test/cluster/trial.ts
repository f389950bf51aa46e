import { setTimeout as pause } from 'node:timers/promises';
import { ownName } from '@waymark/engines/engines.ts';
import { type Client, openClient } from '../api/client.ts';
import { type Application, bodyOf, openSession, tokenCall } from '../api/session.ts';
import { type Random, randomFrom } from '../faults/random.ts';
import type { Cluster } from './cluster.ts';
import { factsOf, withLog } from './history/facts.ts';
import { described, type Entry, isWrite } from './history/history.ts';
import { judge } from './history/judge.ts';
import { type AccountLoad, accountLoad, isTrouble } from './load/account-load.ts';
import { type TokenLoad, type Trouble, tokenLoad } from './load/token-load.ts';
import { atRest, movedWhileIdle, unsound } from './rest.ts';
import { until } from './waiting.ts';

const accounts = 3;
const workersOfAccount = 3;
const beforeMs = 400;
const recoveredWithinMs = 90_000;
/** Nobody waits longer for any answer: a minute is the edge's own last word. */
const answeredWithinMs = 45_000;
const tellMax = 12;
const saidLinesMax = 60;
const saidCharactersMax = 400;

/** What may happen to a cluster. */
export type Fault = {
  /** Brings the trouble, and ends it. `time`: how often it did so before. */
  readonly strike: (cluster: Cluster, time: number) => Promise<void>;
  /** Who may be told to come again meanwhile; everybody else is served as ever. */
  readonly refuses: readonly ('reads' | 'writes' | 'tokens')[];
  /** Whether connections may be cut. */
  readonly cuts?: boolean;
  /** No process may end because of it. */
  readonly keepsProcesses?: boolean;
};

/** What a trial showed, where all promises were kept. */
export type Figures = {
  readonly requests: number;
  readonly acknowledged: number;
  readonly refused: number;
  readonly lagged: number;
  /** From the fault's end to the last request that was told to come again, and to the first visible write of every account. */
  readonly recoveryMs: number;
  readonly restMs: number;
};

type Loads = { readonly accounts: readonly AccountLoad[]; readonly tokens: TokenLoad; readonly client: Client };

/** One fault under load: everything that everybody was answered is held against the log; then all must come to rest, and be as the log says.
 * @throws with everything that is wrong */
export const trial = async (cluster: Cluster, fault: Fault, time: number, random: Random): Promise<Figures> => {
  const from = cluster.printed().length;
  try {
    return await tried(cluster, fault, time, random);
  } catch (error) {
    throw new Error(`${(error as Error).message}\nThe processes said:\n${said(cluster, from)}`, { cause: error });
  }
};

const tried = async (cluster: Cluster, fault: Fault, time: number, random: Random): Promise<Figures> => {
  const loads = await prepare(cluster);
  const { head } = await withLog((log) => log.state());
  const before = await pidsOf(cluster);
  const ending = new AbortController();
  const working = work(loads, random, () => ending.signal.aborted);
  let times: Times;
  try {
    await pause(beforeMs + random.below(beforeMs));
    times = await struck(cluster, fault, time, loads);
  } finally {
    ending.abort();
    await working;
  }
  for (const one of loads.accounts) await one.settle();
  const restedMs = performance.now();
  await atRest(cluster);
  const restMs = performance.now() - restedMs;
  for (const one of loads.accounts) await one.readAll();
  loads.client.close();

  const entries = loads.accounts.flatMap((one) => one.entries);
  const facts = await factsOf(
    loads.accounts.map(({ account }) => account),
    head,
  );
  const findings = [
    ...loads.tokens.findings,
    ...judge({ entries, facts }),
    ...(fault.keepsProcesses && (await pidsOf(cluster)) !== before ? ['a process has ended'] : []),
    ...unallowed(fault, entries, loads.tokens, times),
    ...(await Promise.all([unsound(cluster), movedWhileIdle(cluster)])).flat(),
  ];
  if (findings.length > 0) throw new Error(`${findings.length} findings:\n${findings.slice(0, tellMax).join('\n')}`);
  return figuresOf(entries, times, restMs);
};

/** What is said of every request that was refused, or that found nobody there. */
const usual = /"msg":"write refused"|\[error\] .* connect\(\) failed/;

/** What the processes have said since a trial began: the last of it. */
const said = ({ printed }: Cluster, from: number): string =>
  printed()
    .slice(from)
    .split('\n')
    .filter((line) => !usual.test(line))
    .slice(-saidLinesMax)
    .map((line) => line.slice(0, saidCharactersMax))
    .join('\n');

/** Of all processes, once all answer. */
const pidsOf = async (cluster: Cluster): Promise<string> => {
  let pids: readonly (readonly [string, number | undefined])[] = [];
  await until('all processes tell who they are', recoveredWithinMs, async () => {
    pids = (await cluster.processes()).map(({ name, pid }) => [name, pid] as const);
    return pids.every(([, pid]) => pid !== undefined);
  });
  return pids.join(' ');
};

const prepare = async (cluster: Cluster): Promise<Loads> => {
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

const work = async (loads: Loads, random: Random, ending: () => boolean): Promise<void> => {
  const seeds = loads.accounts.map(() => random.below(2 ** 32));
  await Promise.all([
    loads.tokens.run(ending),
    ...loads.accounts.map((one, nth) => one.run(workersOfAccount, randomFrom(seeds[nth] ?? 0), ending)),
  ]);
};

type Times = { readonly struckMs: number; readonly overMs: number; readonly recoveredMs: number };

const struck = async (cluster: Cluster, fault: Fault, nth: number, loads: Loads): Promise<Times> => {
  const struckMs = performance.now();
  await fault.strike(cluster, nth);
  const overMs = performance.now();
  // Twice: what comes just after the end may be answered by what has not yet noticed.
  for (let time = 0; time < 2; time += 1) {
    await Promise.all(
      loads.accounts.map((one) => until('a write of every account is visible when it is answered', recoveredWithinMs, one.probe)),
    );
  }
  return { struckMs, overMs, recoveredMs: performance.now() };
};

/** Trouble that the fault does not excuse: of whom it must not concern, before it began, or after it was over. */
const unallowed = ({ refuses, cuts = false }: Fault, entries: readonly Entry[], tokens: TokenLoad, times: Times): readonly string[] => {
  const troubled = entries.filter(({ result }) => isTrouble(result) && !isStillRunning(result));
  const wrongly = troubled.filter(
    ({ asked, result }) => !refuses.includes(isWrite(asked) ? 'writes' : 'reads') || (result.type === 'lost' && !cuts),
  );
  const outside = ({ begunMs, endedMs }: Pick<Trouble, 'begunMs' | 'endedMs'>): boolean =>
    endedMs < times.struckMs || begunMs > times.recoveredMs;
  const slow = entries.filter(({ begunMs, endedMs }) => endedMs - begunMs > answeredWithinMs);
  const ofTokens = tokens.troubles.filter(
    (one) => outside(one) || !refuses.includes(one.what.includes('read') ? 'reads' : 'tokens') || (one.what.endsWith('lost') && !cuts),
  );
  return [
    ...wrongly.map((entry) => `trouble for whom it does not concern, ${timed(entry, times)}: ${described(entry)}`),
    ...troubled.filter(outside).map((entry) => `trouble when all is well, ${timed(entry, times)}: ${described(entry)}`),
    ...slow.map((entry) => `answered after ${Math.round(entry.endedMs - entry.begunMs)} ms: ${described(entry)}`),
    ...ofTokens.map((one) => `trouble with tokens, ${timed(one, times)}: ${one.what}`),
  ];
};

/** Of two with the same key at the same time, one is told so. */
const isStillRunning = (result: Entry['result']): boolean => result.type === 'unavailable' && result.status === 409;

const timed = ({ begunMs, endedMs }: Pick<Trouble, 'begunMs' | 'endedMs'>, { struckMs, overMs }: Times): string =>
  `${Math.round(begunMs - struckMs)} to ${Math.round(endedMs - struckMs)} ms after a fault of ${Math.round(overMs - struckMs)} ms`;

const figuresOf = (entries: readonly Entry[], { overMs, recoveredMs }: Times, restMs: number): Figures => {
  const writes = entries.filter(({ asked }) => isWrite(asked));
  return {
    requests: entries.length,
    acknowledged: writes.filter(({ result }) => result.type === 'done').length,
    refused: entries.filter(({ result }) => isTrouble(result)).length,
    lagged: writes.filter(({ result }) => result.type === 'done' && result.lag).length,
    recoveryMs: Math.round(recoveredMs - overMs),
    restMs: Math.round(restMs),
  };
};
