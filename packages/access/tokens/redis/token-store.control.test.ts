import type { EventLog } from '@waymark/event-log/event-log.ts';
import { logOfItsOwn } from '@waymark/event-log/testing/temporary-logs.ts';
import { ready, testConnections, until } from '@waymark/redis/testing/connections.ts';
import { type Action, control } from '@waymark/test-engines/control.ts';
import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import { sampleToken } from '../../testing/sample-token.ts';
import { signer } from '../../testing/tokens-in-redis.ts';
import { unreliable } from '../../testing/unreliable.ts';
import { createEventLogTokenStore } from '../event-log/token-store.ts';
import { TokenStoreUnavailable } from '../token-store.ts';
import { createRedisTokenStore } from './token-store.ts';

const { direct } = testConnections();
const nowMs = Date.UTC(2026, 5, 1);

describeOn(['redis', 'control'], 'while Redis itself', () => {
  const redisIs = (action: Action) => control(action, 'redis');

  it.each<readonly [string, (does: typeof redisIs) => Promise<unknown>, (does: typeof redisIs) => Promise<unknown>]>([
    ['is killed', (does) => does('kill'), (does) => does('start')],
    ['stands still', (does) => does('pause'), (does) => does('resume')],
    ['is wiped', (does) => does('wipe'), (does) => does('start')],
    ['is flushed', async () => (await direct()).flushall(), async () => undefined],
  ])(
    '%s, live tokens are found and revoked tokens are refused, and afterwards too',
    async (_, interrupt, mend) => {
      const log = await logOfItsOwn();
      const redis = await direct();
      const tokens = createRedisTokenStore({ tokens: createEventLogTokenStore({ log }), log, redis, prefix: ownName('tokens'), signer });
      const [live, revoked] = [sampleToken(), sampleToken()];
      for (const record of [live, revoked]) await tokens.save(record);
      await tokens.revoke(revoked.hash);
      const check = async () => {
        expect(await tokens.find(live.hash, nowMs)).toEqual(live);
        expect(await tokens.find(revoked.hash, nowMs)).toBeUndefined();
      };
      await interrupt(redisIs);
      try {
        for (let time = 0; time < 5; time += 1) await check();
        const later = sampleToken();
        await tokens.save(later);
        expect(await tokens.find(later.hash, nowMs)).toEqual(later);
        await tokens.revoke(live.hash);
        expect(await tokens.find(live.hash, nowMs)).toBeUndefined();
      } finally {
        await mend(redisIs);
      }
      await ready(redis);
      for (const { hash } of [live, revoked]) expect(await tokens.find(hash, nowMs)).toBeUndefined();
      await log.close();
    },
    60_000,
  );

  it('is full, a token that is revoked is not accepted by its entry while the log is unavailable', async () => {
    const log = await logOfItsOwn();
    const redis = await direct();
    const prefix = ownName('tokens');
    const storeOn = (of: EventLog) =>
      createRedisTokenStore({ tokens: createEventLogTokenStore({ log: of }), log: of, redis, prefix, signer });
    const own = unreliable(log);
    const [revoking, reading, token] = [storeOn(log), storeOn(own), sampleToken()];
    await revoking.save(token);
    expect(await reading.find(token.hash, nowMs)).toEqual(token);
    await redis.config('SET', 'maxmemory', '1');
    try {
      await revoking.revoke(token.hash);
      own.faults.unavailable = true;
      await expect(reading.find(token.hash, nowMs)).rejects.toThrow(TokenStoreUnavailable);
    } finally {
      await redis.config('SET', 'maxmemory', '0');
    }
    await until(async () => (await reading.find(token.hash, nowMs).catch(() => token)) === undefined);
    await log.close();
  });
});
