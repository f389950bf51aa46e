import type { EventLog } from '@waymark/event-log/event-log.ts';
import { logOfItsOwn } from '@waymark/event-log/testing/temporary-logs.ts';
import { testConnections } from '@waymark/redis/testing/connections.ts';
import { createSigner } from '@waymark/signing/signer.ts';
import { ownName } from '@waymark/test-engines/test-engines.ts';
import type { Redis } from 'ioredis';
import { createEventLogTokenStore } from '../tokens/event-log/token-store.ts';
import { createRedisTokenStore, type RedisTokenStoreOptions } from '../tokens/redis/token-store.ts';
import { sampleToken } from './sample-token.ts';
import { unreliable } from './unreliable.ts';

export const signer = createSigner(['k'.repeat(32)]);

/** Creates token stores in Redis over a log on this machine, for the tests of a file. */
export const tokensInRedis = () => {
  const connections = testConnections();
  let log: Awaited<ReturnType<typeof logOfItsOwn>>;
  beforeAll(async () => {
    log = await logOfItsOwn();
  });
  afterAll(() => log.close());

  const over = (redis: Redis, prefix = ownName('tokens'), of: EventLog = log, options: Partial<RedisTokenStoreOptions> = {}) =>
    createRedisTokenStore({ tokens: createEventLogTokenStore({ log: of }), log: of, redis, prefix, signer, ...options });

  return {
    ...connections,
    over,
    /** Creates one of several processes that share Redis and the log. */
    processOn: (redis: Redis, prefix: string, options: Partial<RedisTokenStoreOptions> = {}) => {
      const own = unreliable(log);
      return { tokens: over(redis, prefix, own, options), log: own };
    },
    /** Saves a live token and a revoked one, in a process for which all engines are available. */
    liveAndRevoked: async (redis: Redis, prefix: string) => {
      const tokens = over(redis, prefix);
      const [live, revoked] = [sampleToken(), sampleToken()];
      await tokens.save(live);
      await tokens.save(revoked);
      await tokens.revoke(revoked.hash);
      return { live, revoked };
    },
    wipe: async (redis: Redis, prefix: string): Promise<void> => {
      const keys = await redis.keys(`${prefix}*`);
      if (keys.length > 0) await redis.del(...keys);
    },
  };
};
