import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { leaseMs, leaseRenewMs } from './limits.ts';

/** Determines which of several equal processes is active. A lease only saves work; it never protects from harm. A process that was paused
 * may hold it for a moment after another one has taken it, and while Redis is unavailable every process holds it. */
export type Lease = {
  readonly holds: () => boolean;
  /** Releases the lease, so that another process need not wait until it ends. */
  readonly close: () => Promise<void>;
};

export type RedisLeaseOptions = {
  readonly redis: Redis;
  /** The key of the work that one process at a time has to do. */
  readonly key: string;
  /** The duration of the lease, in milliseconds. */
  readonly endsAfterMs?: number;
  readonly renewEveryMs?: number;
};

/** Takes the lease where no process holds it, and renews it where this process does. It can be repeated without harm. A lease that does not
 * end, or ends later than any renewed one, counts as free. */
const take = `
  local owner = redis.call('get', KEYS[1])
  if owner == ARGV[1] then
    redis.call('pexpire', KEYS[1], ARGV[2])
    return 1
  end
  local endsMs = redis.call('pttl', KEYS[1])
  if owner and endsMs >= 0 and endsMs <= tonumber(ARGV[2]) then return 0 end
  redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 1`;

const giveUp = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`;

export const createRedisLease = ({ redis, key, endsAfterMs = leaseMs, renewEveryMs = leaseRenewMs }: RedisLeaseOptions): Lease => {
  const owner = randomUUID();
  let isUnavailable = false;
  let heldUntilMs = 0;
  let closing = false;

  const ask = async (): Promise<void> => {
    const askedMs = performance.now();
    try {
      const taken = await redis.eval(take, 1, key, owner, endsAfterMs);
      isUnavailable = false;
      heldUntilMs = taken === 1 ? askedMs + endsAfterMs : 0;
    } catch {
      isUnavailable = true;
    }
  };

  let timer: NodeJS.Timeout | undefined;
  let asking: Promise<void> = Promise.resolve();
  const turn = (): void => {
    asking = ask().then(() => {
      if (!closing) timer = setTimeout(turn, renewEveryMs).unref();
    });
  };
  turn();

  return {
    holds: () => !closing && (isUnavailable || performance.now() < heldUntilMs),
    close: async () => {
      closing = true;
      clearTimeout(timer);
      await asking;
      await redis.eval(giveUp, 1, key, owner).catch(() => undefined);
    },
  };
};
