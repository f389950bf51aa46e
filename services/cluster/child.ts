import { type ChildProcess, spawn } from 'node:child_process';
import type { FromParent, ToParent } from '@waymark/runtime/parent.ts';
import type { Logger } from 'pino';

/** A process that belongs to the cluster. */
export type ChildPlan = {
  /** Service and number: `query-gateway-2`. */
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly environment: NodeJS.ProcessEnv;
  /** Called before each start. */
  readonly prepare?: () => void;
  /** What asks it to end. */
  readonly stopSignal: NodeJS.Signals;
  /** How long it may take to end, once asked to; then it is killed. */
  readonly stopWithinMs: number;
  /** Whether it ends by itself when this process is gone, and tells it what it does. */
  readonly follows: boolean;
};

/** What is to be done for the processes that tell what they do, by their names. */
export type Supervision = {
  /** Sends no new requests to a process that stops. @returns false where no request can reach it any more */
  readonly stopping: (name: string) => Promise<boolean>;
  /** Sends requests to a process again. */
  readonly ready: (name: string) => void;
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

/** Ends what a process has left behind in its group: nginx's workers go on without their master, and keep its port. */
const endGroup = (leader: number): void => {
  try {
    process.kill(-leader, 'SIGTERM');
  } catch {
    // Nothing is left, as it should be.
  }
};

/** Runs a process, and runs it again whenever it ends, until told to stop, or all are. */
export const keepRunning = (plan: ChildPlan, logger: Logger, stopped: AbortSignal, supervision?: Supervision): Child => {
  let child: ChildProcess | undefined;
  let againMs = againMsMin;
  let timer: NodeJS.Timeout | undefined;
  let ended: () => void = () => undefined;

  const start = (): void => {
    const [file, ...parameters] = plan.command;
    const startedMs = performance.now();
    plan.prepare?.();
    const started = spawn(file, parameters, {
      env: plan.environment,
      // In a group of its own: what a terminal tells its group (Ctrl-C) is told to each in its turn.
      detached: true,
      stdio: plan.follows ? ['ignore', 'inherit', 'inherit', 'ipc'] : ['ignore', 'inherit', 'inherit'],
    });
    child = started;
    if (supervision !== undefined) supervise(started, plan.name, supervision);
    let gone = false;
    const end = (how: { readonly err: Error } | { readonly code: number | null; readonly signal: string | null }): void => {
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
        const kill = setTimeout(() => running.kill('SIGKILL'), plan.stopWithinMs);
        ended = () => {
          clearTimeout(kill);
          resolve();
        };
        running.kill(plan.stopSignal);
      }),
  };
};

/** Answers what a process tells; one that has ended meanwhile is told nothing. */
const supervise = (child: ChildProcess, name: string, { stopping, ready }: Supervision): void => {
  const tell = (message: FromParent): void => {
    if (child.connected) child.send(message, () => undefined);
  };
  child.on('message', ({ waymark }: ToParent) => {
    if (waymark === 'ready') ready(name);
    else void stopping(name).then((isReachable) => tell({ waymark: isReachable ? 'removed' : 'unreachable' }));
  });
  tell({ waymark: 'supervised' });
};
