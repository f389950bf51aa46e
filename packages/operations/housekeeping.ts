import type { Logger } from 'pino';

/** Tokens live for 10 hours and idempotency keys are valid for 24. What is older than twice the longer time is not needed any more. */
const keptMs = 48 * 60 * 60_000;
const intervalMs = 60 * 60_000;

export type ExpiredBefore = { readonly beforeMs: number; readonly signal: AbortSignal };

const dayMs = 24 * 60 * 60_000;

/** Returns the time before which the records of refused requests have expired.
 * @param days the days for which they are kept */
export const refusalsExpiredBefore = ({ signal }: Pick<ExpiredBefore, 'signal'>, days: number): ExpiredBefore => ({
  beforeMs: Date.now() - days * dayMs,
  signal,
});

/** Removes expired tokens, claims of idempotency keys and records of refused requests about every hour.
 * @param remove removes what was recorded before a time, and returns the counts for the log
 * @returns a function that stops it */
export const housekeeping = (remove: (expired: ExpiredBefore) => Promise<object>, logger: Pick<Logger, 'debug' | 'warn'>): (() => void) => {
  const closing = new AbortController();
  const { signal } = closing;
  const sweep = async (): Promise<void> => {
    try {
      logger.debug(await remove({ beforeMs: Date.now() - keptMs, signal }), 'removed expired tokens and claims');
    } catch (error) {
      logger.warn({ err: error }, 'expired tokens and claims could not be removed; the next run tries again');
    }
    if (!signal.aborted) wait();
  };
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    // Waits before the first run, and for a random time: several processes may have started at the same time.
    timer = setTimeout(() => void sweep(), intervalMs * (0.5 + Math.random()));
    timer.unref();
  };
  wait();
  return () => {
    closing.abort();
    clearTimeout(timer);
  };
};
