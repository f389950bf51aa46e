import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { urlOf } from './test-engines.ts';

/** What the control command can do with an engine: `kill` is SIGKILL, `pause` SIGSTOP, `wipe` kills it and deletes what it keeps. */
export type Action = 'start' | 'stop' | 'kill' | 'pause' | 'resume' | 'wipe';
/** As the control command names it. */
export type ControlledEngine = 'kafka' | 'mongodb' | 'redis' | 'eventstore' | 's3';

/** Only catches hangs. */
const withinMs = 300_000;
const run = promisify(execFile);

/** Does it, and waits until it is done; a started engine takes connections by then. To be called in tests of `describeOn` with `control` only.
 * @param environment what the command is told beside, where it knows of it */
export const control = async (
  action: Action,
  engine: ControlledEngine,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> => {
  const ask = () => run(urlOf('control'), [action, engine], { timeout: withinMs, env: { ...process.env, ...environment } });
  // On a busy machine an engine takes longer to start than the command waits. It is started by then, and takes connections soon.
  await (action === 'start' ? ask().catch(ask) : ask());
};
