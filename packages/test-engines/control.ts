import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { urlOf } from './test-engines.ts';

/** What the control command can do with an engine: `kill` is SIGKILL, `pause` SIGSTOP, `wipe` kills it and deletes its data. */
export type Action = 'start' | 'stop' | 'kill' | 'pause' | 'resume' | 'wipe';
/** The names of engines in the control command. */
export type ControlledEngine = 'kafka' | 'mongodb' | 'redis' | 'eventstore' | 's3';

/** This timeout only catches hangs. */
const withinMs = 300_000;
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
};
