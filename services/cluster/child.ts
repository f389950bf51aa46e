import { type ChildProcess, spawn } from 'node:child_process';
import type { FromParent, ToParent } from '@waymark/runtime/parent.ts';
import { type BackOffLimits, pauseMs } from '@waymark/timing/back-off.ts';
import type { Logger } from 'pino';

/** The configuration of a process of the cluster. */
export type ChildPlan = {
  /** The service and a number: `query-gateway-2`. */
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly environment: NodeJS.ProcessEnv;
  /** Called before each start. */
  readonly prepare?: () => void;
  /** The signal that asks the process to end. */
  readonly stopSignal: NodeJS.Signals;
  /** How long the process may take to end after that signal; then it is killed. */
  readonly stopWithinMs: number;
  /** Whether the process has a channel to this one: it reports its state, and ends by itself when this process is gone. */
  readonly isSupervised: boolean;
};

/** Reacts to the reports of processes, by their names. */
export type Supervision = {
  /** Stops sending new requests to a process that stops.
   * @returns false if no request can reach the process any more */
  readonly stopping: (name: string) => Promise<boolean>;
  /** Sends requests to the process again. */
  readonly ready: (name: string) => void;
};

export type Child = {
  readonly name: string;
  readonly pid: () => number | undefined;
  /** Asks the process to end, and kills it if it does not. Called when all processes stop. */
  readonly stop: () => Promise<void>;
};

const againPauses: BackOffLimits = { firstMs: 100, lastMs: 5_000 };
/** A process that ends earlier than this counts as one that could not start. A start takes less, also on a busy machine: otherwise processes that
 * cannot start would be restarted at once, again and again, and keep the machine busy. */
const livedMs = 60_000;

/** Ends the remaining processes in the group of a process: nginx workers continue without their master, and keep its port. */
const endGroup = (leader: number): void => {
  try {
    process.kill(-leader, 'SIGTERM');
  } catch {
    // No process is left, as expected.
  }
};

/** Runs a process, and restarts it whenever it ends, until `stopped` aborts. */
export const keepRunning = (plan: ChildPlan, logger: Logger, stopped: AbortSignal, supervision?: Supervision): Child => {
  let child: ChildProcess | undefined;
  let quickEnds = 0;
  let timer: NodeJS.Timeout | undefined;
  let ended: () => void = () => undefined;

  const start = (): void => {
    const [file, ...parameters] = plan.command;
    const startedMs = performance.now();
    plan.prepare?.();
    const started = spawn(file, parameters, {
      env: plan.environment,
      // A separate process group: a signal of the terminal to its group (Ctrl-C) does not reach the process, and this process stops its
      // processes in order.
      detached: true,
      stdio: plan.isSupervised ? ['ignore', 'inherit', 'inherit', 'ipc'] : ['ignore', 'inherit', 'inherit'],
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
      quickEnds = performance.now() - startedMs > livedMs ? 0 : quickEnds + 1;
      const againMs = pauseMs(againPauses, quickEnds);
      logger.warn({ process: plan.name, ...how, againMs }, 'a process has ended and will be restarted');
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

/** Answers the messages of a process. Sends nothing if the process has ended in the meantime. */
const supervise = (child: ChildProcess, name: string, { stopping, ready }: Supervision): void => {
  const send = (message: FromParent): void => {
    if (child.connected) child.send(message, () => undefined);
  };
  child.on('message', ({ waymark }: ToParent) => {
    if (waymark === 'ready') ready(name);
    else void stopping(name).then((isReachable) => send({ waymark: isReachable ? 'removed' : 'unreachable' }));
  });
  send({ waymark: 'supervised' });
};
