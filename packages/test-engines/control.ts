import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { urlOf } from './test-engines.ts';

/** What the control command can do with an engine: `kill` is SIGKILL, `pause` SIGSTOP, `wipe` kills it and deletes its data. */
export type Action = 'start' | 'stop' | 'kill' | 'pause' | 'resume' | 'wipe';
/** The names of engines in the control command. */
export type ControlledEngine = 'kafka' | 'mongodb' | 'redis' | 'eventstore' | 's3';

/** This timeout only catches hangs. */
const withinMs = 300_000;
const stoppedWithinMs = 2_000;
const run = promisify(execFile);

/** Runs an action, and waits until it is done. A started engine accepts connections by then. To be called only in tests of `describeOn`
 * with `control`.
 * @param environment further environment variables for the command, if it knows them */
export const control = async (
  action: Action,
  engine: ControlledEngine,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> => {
  const ask = () => run(urlOf('control'), [action, engine], { timeout: withinMs, env: { ...process.env, ...environment } });
  // On a busy machine, an engine can take longer to start than the command waits. It is started by then, and soon accepts connections.
  await (action === 'start' ? ask().catch(ask) : ask());
  if (action === 'pause') await untilStopped((await run(urlOf('control'), ['pid', engine], { timeout: withinMs })).stdout.trim());
};

/** SIGSTOP takes effect when the thread that receives it runs next: on a busy machine, the others respond for up to a tenth of a second more. A
 * container is frozen instead, which shows no such state. */
const untilStopped = async (pid: string): Promise<void> => {
  const giveUpMs = performance.now() + stoppedWithinMs;
  while (!isStopped(`/proc/${pid}/task`) && performance.now() < giveUpMs) await sleep(5);
};

/** @param threads the directory with the states of a process's threads, where there is one */
const isStopped = (threads: string): boolean => {
  if (!existsSync(threads)) return true;
  try {
    return readdirSync(threads).every((thread) => / T /.test(readFileSync(join(threads, thread, 'stat'), 'utf8')));
  } catch {
    // A thread that ends meanwhile was not stopped.
    return false;
  }
};
