import { setTimeout as pause } from 'node:timers/promises';
import type { Parent } from './parent.ts';

export type Stopping = {
  /** How long the process continues to answer before it begins to shut down. */
  readonly drainMs: number;
  /** Time from the end of the drain. After it the process ends, whatever still delays the shutdown. */
  readonly stopMs: number;
  /** Asks the process that started this one to send no new requests here. */
  readonly parent?: Pick<Parent, 'stopping'>;
  /** Called first: from then on the process is not ready, and keeps no connection open.
   * @returns whether it answers requests, which it then drains */
  readonly drain: () => boolean;
  /** Finishes what is in flight. */
  readonly close: () => Promise<void>;
  /** Ends the process. */
  readonly exit: (code: number) => void;
};

/** Ends the process at SIGTERM or SIGINT, and when the process that started and supervises it is gone. The first of these begins the
 * shutdown; later ones have no effect. */
export const stopOnSignal = (stopping: Stopping): void => {
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) return;
    isStopping = true;
    void shutDown(stopping).then(
      () => stopping.exit(0),
      () => stopping.exit(1),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('disconnect', stop);
};

const shutDown = async ({ drainMs, stopMs, parent, drain, close, exit }: Stopping): Promise<void> => {
  if (drain()) {
    const isReachable = (await parent?.stopping()) ?? true;
    if (isReachable && drainMs > 0) await pause(drainMs);
  }
  setTimeout(() => exit(1), stopMs).unref();
  await close();
};
