import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inherited } from '../engines/environment.ts';

const root = join(import.meta.dirname, '../..');
const startWithinMs = 300_000;

/** Time limit of a test of this folder, which starts several processes, possibly on a busy machine. */
export const patienceMs = 300_000;

export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

type Environment = Readonly<Record<string, string>>;

/** An installation in a temporary directory, used through `waymark …` as people and scripts use it. */
export type Desk = {
  readonly directory: string;
  readonly run: (...words: string[]) => Promise<Ran>;
  /** Runs a command that must end with this exit code, and returns the one JSON value that it prints. */
  readonly json: <Value>(words: readonly string[], code?: number) => Promise<Value>;
  /** Starts a command without waiting for its end. */
  readonly spawn: (...words: string[]) => ChildProcess;
  /** Starts the server. It is stopped at the end of the test file at the latest. */
  readonly serve: () => Promise<Served>;
};

export type Served = {
  readonly api: string;
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  readonly stop: () => Promise<number | null>;
};

export const useDesk = (environment: Environment = {}): Desk => {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-cli-'));
  const started = new Set<ChildProcess>();
  afterAll(async () => {
    for (const child of started) await ended(child, 'SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  });

  const start = (...words: string[]): ChildProcess => {
    const child = spawnWaymark(directory, { ...settings(directory), ...environment }, words);
    started.add(child);
    child.once('exit', () => started.delete(child));
    return child;
  };
  const run = (...words: string[]): Promise<Ran> => outcome(start(...words));

  return {
    directory,
    run,
    spawn: start,
    json: async (words, code = 0) => {
      const ran = await run(...words, '--json');
      if (ran.code !== code) throw new Error(`exit code ${ran.code}, not ${code}: ${ran.stderr}${ran.stdout}`);
      return JSON.parse(ran.stdout);
    },
    serve: async () => {
      const child = start('start');
      const operator = await ready(join(directory, 'operator.json'), child);
      return { ...operator, stop: () => ended(child, 'SIGTERM') };
    },
  };
};

const settings = (directory: string): Environment => ({
  WAYMARK_DATA_DIR: directory,
  WAYMARK_PORT: '0',
  WAYMARK_OPS_PORT: '0',
  WAYMARK_RATE_LIMITS: 'off',
});

/** Starts `waymark …` in a directory, with these settings and no others.
 * @param checkout the directory of its sources */
export const spawnWaymark = (cwd: string, environment: Environment, words: readonly string[], checkout = root): ChildProcess =>
  spawn(process.execPath, [join(checkout, 'services/cli/waymark.cjs'), ...words], { cwd, env: { ...inherited, ...environment } });

/** Waits for the end of a command, and returns its result. */
export const outcome = async (child: ChildProcess): Promise<Ran> => {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
};

/** Ends a process and waits for its end.
 * @returns the exit code */
export const ended = async (child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> => {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exit = once(child, 'exit');
  child.kill(signal);
  const [code] = await exit;
  return code;
};

const ready = async (file: string, child: ChildProcess): Promise<Omit<Served, 'stop'>> => {
  child.stdout?.resume();
  child.stderr?.resume();
  const giveUpAt = Date.now() + startWithinMs;
  const patience = async (): Promise<void> => {
    if (child.exitCode !== null || Date.now() > giveUpAt) throw new Error('the server did not start');
    await sleep(20);
  };
  while (!existsSync(file)) await patience();
  const operator = JSON.parse(readFileSync(file, 'utf8'));
  while ((await fetch(`${operator.url}/readyz`)).status !== 200) await patience();
  return operator;
};
