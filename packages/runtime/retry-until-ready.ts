import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';

const pauseMsMin = 100;
const pauseMsMax = 2_000;
/** A process that waits for an engine logs the error again after this number of attempts. */
const attemptsPerMessage = 15;

/** Retries until the work succeeds or the process has to stop. So a process waits for an engine that is unavailable at the start.
 * @throws the reason that `signal` was aborted with */
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
      if (attempt % attemptsPerMessage === 0) logger.warn({ err: error }, `${what}: not possible yet; retrying`);
    }
    await pause(Math.min(pauseMsMax, pauseMsMin * 2 ** Math.min(attempt, 10)), undefined, { signal });
  }
};
