import type { SqliteTokenStore } from '@waymark/access/tokens/sqlite/token-store.ts';
import type { SqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import type { Logger } from 'pino';

const intervalMs = 60 * 60 * 1000;
/** Idempotency keys are valid for 24 hours; their claims are kept for twice that time. */
const claimsKeptMs = 48 * 60 * 60 * 1000;

/** Removes expired tokens and expired claims of idempotency keys every hour.
 * @returns a function that stops it */
export const housekeeping = (log: SqliteEventLog, tokens: SqliteTokenStore, logger: Logger): (() => void) => {
  const sweep = async (): Promise<void> => {
    try {
      const claims = await log.prune(new Date(Date.now() - claimsKeptMs).toISOString());
      const expired = await tokens.expire(Date.now());
      logger.debug({ claims, tokens: expired }, 'removed expired tokens and claims');
    } catch (error) {
      logger.warn({ err: error }, 'expired tokens and claims could not be removed; the next run tries again');
    }
  };
  const timer = setInterval(() => void sweep(), intervalMs);
  timer.unref();
  return () => clearInterval(timer);
};
