import { type BackOffLimits, createBackOff } from '@waymark/timing/back-off.ts';
import type { Logger } from 'pino';

const pauses: BackOffLimits = { firstMs: 100, lastMs: 2_000 };
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
  const backOff = createBackOff(pauses, signal);
  for (let attempt = 0; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (attempt % attemptsPerMessage === 0) logger.warn({ err: error }, `${what}: not possible yet; retrying`);
    }
    await backOff.pause();
  }
};
