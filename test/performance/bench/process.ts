import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { limits } from './limits.ts';

export type Launched = {
  readonly pid: number;
  /** Checks that the process still runs.
   * @throws if the process ended before it was stopped */
  readonly assertRunning: () => void;
  readonly stop: () => Promise<void>;
};

/** Runs a file under Node. Of the environment of this process, only the PATH is passed on. The output goes to `output` in the directory.
 * @param under a command that runs Node */
export const launch = (
  [file = '', ...args]: readonly string[],
  directory: string,
  settings: Record<string, string>,
  under: readonly string[] = [],
): Launched => {
  mkdirSync(directory, { recursive: true });
  const output = join(directory, 'output');
  const descriptor = openSync(output, 'a');
  const env = { PATH: process.env['PATH'], NODE_ENV: 'production', ...settings };
  const [program = '', ...rest] = [...under, process.execPath, file, ...args];
  const child = spawn(program, rest, { env, stdio: ['ignore', descriptor, descriptor] });
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'exit').finally(() => process.off('exit', kill));
  return {
    pid: child.pid ?? 0,
    assertRunning: () => {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`${file} ended:\n${readFileSync(output, 'utf8').slice(-2_000)}`);
    },
    stop: async () => {
      child.kill('SIGTERM');
      const slow = await Promise.race([ended, delay(limits.stopMs, 'slow', { ref: false })]);
      if (slow !== 'slow') return;
      kill();
      throw new Error(`${file} did not stop within ${limits.stopMs} ms`);
    },
  };
};

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
};

/** Returns the resident memory of a process, including all its threads. */
export const residentBytes = (pid: number): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1_024;
