import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';

const pauseMsMin = 100;
const pauseMsMax = 2_000;
/** A process that waits for an engine says so again after so many tries. */
const saidEvery = 15;

/** Tries until it works or the process is told to stop: an engine that is away at the start is waited for.
 * @throws what `signal` was aborted with */
export const retryUntilReady = async <Result>(
  what: string,
  work: () => Promise<Result>,
  logger: Logger,
  signal: AbortSignal,
): Promise<Result> => {
  for (let attempt = 0; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (attempt % saidEvery === 0) logger.warn({ err: error }, `${what}: not possible yet; it is tried again`);
    }
    await pause(Math.min(pauseMsMax, pauseMsMin * 2 ** Math.min(attempt, 10)), undefined, { signal });
  }
};
