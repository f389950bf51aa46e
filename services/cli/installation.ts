import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { holdsLog } from '@waymark/runtime/directory.ts';
import { fromOperatorFile, type RunningOperator } from '@waymark/runtime/operator-file.ts';
import { connectTo } from './client/http.ts';
import { type Operator, operatorAt } from './client/operator.ts';
import { dataDirectory, namedOperator } from './environment.ts';
import { directoryPollEveryMs, directoryWaitMs, firstAnswerMs } from './limits.ts';
import { startProduct } from './product.ts';
import { CommandFailed } from './terminal/exit-codes.ts';

type Address = { readonly url: string; readonly token: string };
type Reached = Address & {
  /** Whether a server has the installation, and not this command. */
  readonly isServed: boolean;
  readonly close: () => Promise<void>;
};

type Work<Result> = (operator: Operator, isServed: boolean) => Promise<Result>;

/** Connects to the installation and does the work through its operator API. Where no server runs, it starts the product in this process. */
export const withInstallation = <Result>(work: Work<Result>): Promise<Result> =>
  withReached((environment) => reach(environment, { mayBegin: false }), work);

/** Does the same, and begins an installation where there is none. */
export const withInstallationOrNew = <Result>(work: Work<Result>): Promise<Result> =>
  withReached((environment) => reach(environment, { mayBegin: true }), work);

/** Connects to a running installation and does the work through its operator API. */
export const withRunning = <Result>(work: Work<Result>): Promise<Result> => withReached(reachRunning, work);

const withReached = async <Result>(to: (environment: NodeJS.ProcessEnv) => Promise<Reached>, work: Work<Result>): Promise<Result> => {
  const reached = await to(process.env);
  const operator = operatorAt(reached.url, reached.token);
  try {
    return await work(operator, reached.isServed);
  } finally {
    operator.close();
    await reached.close();
  }
};

const reach = async (environment: NodeJS.ProcessEnv, { mayBegin }: { readonly mayBegin: boolean }): Promise<Reached> => {
  const named = namedOperator(environment);
  if (named !== undefined) return { ...named, isServed: true, close: leave };
  const directory = dataDirectory(environment);
  // The process that owns the directory may be a server that starts or stops, or another command. Repeat until it is clear which.
  for (const giveUpAt = Date.now() + directoryWaitMs; Date.now() < giveUpAt; await sleep(directoryPollEveryMs)) {
    const found = await serverOf(directory);
    if (found === 'silent') continue;
    if (found !== undefined) return { ...found, isServed: true, close: leave };
    if (!mayBegin) requireInstallation(directory);
    const started = await startProduct(environment);
    if (started !== undefined) return { ...started, isServed: false };
  }
  throw unanswered(directory);
};

/** A command in the wrong directory must not report that an empty installation is sound, or back it up. */
const requireInstallation = (directory: string): void => {
  if (holdsLog(directory)) return;
  const set = 'set WAYMARK_DATA_DIR or WAYMARK_OPS_URL to an installation; `waymark start` begins one';
  throw new CommandFailed('unreachable', `There is no installation in ${directory}: ${set}.`);
};

const reachRunning = async (environment: NodeJS.ProcessEnv): Promise<Reached> => {
  const named = namedOperator(environment);
  if (named !== undefined) return { ...named, isServed: true, close: leave };
  const directory = dataDirectory(environment);
  // A server on a busy machine may not answer the first time.
  for (const giveUpAt = Date.now() + directoryWaitMs; Date.now() < giveUpAt; await sleep(directoryPollEveryMs)) {
    const found = await serverOf(directory);
    if (found === 'silent') continue;
    if (found !== undefined) return { ...found, isServed: true, close: leave };
    const set = 'set WAYMARK_DATA_DIR or WAYMARK_OPS_URL to the running installation';
    throw new CommandFailed('unreachable', `Nothing runs on ${directory}: ${set}.`);
  }
  throw unanswered(directory);
};

const unanswered = (directory: string): CommandFailed =>
  new CommandFailed('unreachable', `${directory} is in use by a process that does not answer: another command, or a server that hangs.`);

const leave = async (): Promise<void> => undefined;

/** Returns the address of the server that runs on a data directory; `silent` if it does not answer; undefined where none runs. */
export const serverOf = async (directory: string): Promise<Address | 'silent' | undefined> => {
  const written = operatorFile(directory);
  if (written === undefined || !isAlive(written.pid)) return undefined;
  // A refused connection, or another response: the process, or the server at the port, is another one by now.
  const status = await firstStatus(written).catch(({ code }: NodeJS.ErrnoException) => (code === 'ECONNREFUSED' ? undefined : 'silent'));
  if (status === 200) return written;
  return status === 'silent' ? status : undefined;
};

const operatorFile = (directory: string): RunningOperator | undefined => {
  try {
    return fromOperatorFile(readFileSync(join(directory, 'operator.json'), 'utf8'));
  } catch {
    return undefined;
  }
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** Returns the status of the first response.
 * @throws the error of the connection */
const firstStatus = async ({ url, token }: Address): Promise<number> => {
  const connections = connectTo(url, 1);
  const headers = { Authorization: `Bearer ${token}` };
  try {
    return (await connections.send({ method: 'GET', path: '/operator/status', headers, withinMs: firstAnswerMs })).status;
  } finally {
    connections.close();
  }
};
