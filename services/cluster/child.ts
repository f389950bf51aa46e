import { type ChildProcess, spawn } from 'node:child_process';
import type { Logger } from 'pino';

/** A process that belongs to the cluster. */
export type ChildPlan = {
  /** Service and number: `query-gateway-2`. */
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly environment: NodeJS.ProcessEnv;
  /** What asks it to end. */
  readonly stopSignal: NodeJS.Signals;
  /** Whether it ends by itself when this process is gone. */
  readonly follows: boolean;
};

export type Child = {
  readonly name: string;
  readonly pid: () => number | undefined;
  /** Once all are to stop: asks it to end, and ends it where it does not. */
  readonly stop: () => Promise<void>;
};

const againMsMin = 100;
const againMsMax = 5_000;
/** One that lived so long has started well. */
const livedMs = 5_000;
const stopWithinMs = 11_000;

/** Ends what a process has left behind in its group: nginx's workers go on without their master, and keep its port. */
const endGroup = (leader: number): void => {
  try {
    process.kill(-leader, 'SIGTERM');
  } catch {
    // Nothing is left, as it should be.
  }
};

/** Runs a process, and runs it again whenever it ends, until told to stop, or all are. */
export const keepRunning = (plan: ChildPlan, logger: Logger, stopped: AbortSignal): Child => {
  let child: ChildProcess | undefined;
  let againMs = againMsMin;
  let timer: NodeJS.Timeout | undefined;
  let ended: () => void = () => undefined;

  const start = (): void => {
    const [file, ...parameters] = plan.command;
    const startedMs = performance.now();
    const started = spawn(file, parameters, {
      env: plan.environment,
      // In a group of its own: what a terminal tells its group (Ctrl-C) is told to each in its turn.
      detached: true,
      stdio: plan.follows ? ['ignore', 'inherit', 'inherit', 'ipc'] : ['ignore', 'inherit', 'inherit'],
    });
    child = started;
    let gone = false;
    const end = (how: object): void => {
      if (gone) return;
      gone = true;
      child = undefined;
      if (started.pid !== undefined) endGroup(started.pid);
      ended();
      if (stopped.aborted) return;
      againMs = performance.now() - startedMs > livedMs ? againMsMin : Math.min(againMsMax, againMs * 2);
      logger.warn({ process: plan.name, ...how, againMs }, 'a process has ended: it is started again');
      timer = setTimeout(start, againMs);
    };
    started.once('error', (error) => end({ err: error }));
    started.once('exit', (code, signal) => end({ code, signal }));
  };

  start();
  return {
    name: plan.name,
    pid: () => child?.pid,
    stop: () =>
      new Promise((resolve) => {
        clearTimeout(timer);
        if (child === undefined) return resolve();
        const running = child;
        const kill = setTimeout(() => running.kill('SIGKILL'), stopWithinMs);
        ended = () => {
          clearTimeout(kill);
          resolve();
        };
        running.kill(plan.stopSignal);
      }),
  };
};
