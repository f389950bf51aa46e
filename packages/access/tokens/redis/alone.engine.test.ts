import { setTimeout as pause } from 'node:timers/promises';
import { type EventLog, LogUnavailable } from '@waymark/event-log/event-log.ts';
import { until } from '@waymark/redis/testing/connections.ts';
import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import { pauseProcess } from '@waymark/timing/testing/pause-process.ts';
import type { Redis } from 'ioredis';
import { sampleToken } from '../../testing/sample-token.ts';
import { tokensInRedis } from '../../testing/tokens-in-redis.ts';
import { outdatedMs, type UnreliableLog } from '../../testing/unreliable.ts';
import { type TokenRecord, TokenStoreUnavailable } from '../token-store.ts';

const nowMs = Date.UTC(2026, 5, 1);
const { direct, byPassage, opened, over, processOn, liveAndRevoked, wipe } = tokensInRedis();

describeOn(['redis'], 'while the log is unavailable, a token', () => {
  let own: UnreliableLog;
  let tokens: ReturnType<typeof over>;
  let redis: Redis;
  let known: { readonly live: TokenRecord; readonly revoked: TokenRecord };
  const prefix = ownName('tokens');
  beforeEach(async () => {
    redis = await direct();
    known = await liveAndRevoked(redis, prefix);
    ({ tokens, log: own } = processOn(redis, prefix));
    own.faults.unavailable = true;
  });

  it('with an entry in Redis is valid until it expires', async () => {
    expect(await tokens.find(known.live.hash, nowMs)).toEqual(known.live);
    expect(await tokens.find(known.live.hash, known.live.expiresAtMs)).toBeUndefined();
  });

  it('with a revocation mark in Redis is refused', async () => {
    expect(await tokens.find(known.revoked.hash, nowMs)).toBeUndefined();
  });

  it('that is unknown to Redis is neither accepted nor refused', async () => {
    await expect(tokens.find(sampleToken().hash, nowMs)).rejects.toThrow(TokenStoreUnavailable);
    await wipe(redis, prefix);
    await expect(tokens.find(known.live.hash, nowMs)).rejects.toThrow(TokenStoreUnavailable);
  });

  it('that was issued just before is valid', async () => {
    own.faults.unavailable = false;
    let appends = 0;
    const falling: EventLog = {
      ...own,
      append: async (...what) => {
        const outcome = await own.append(...what);
        appends += 1;
        return outcome;
      },
      state: () => (appends < 2 ? own.state() : Promise.reject(new LogUnavailable('Nothing came.'))),
    };
    const issuing = over(redis, prefix, falling);
    await issuing.save(sampleToken());
    await pause(outdatedMs);
    const token = sampleToken();
    await issuing.save(token);
    own.faults.unavailable = true;
    expect(await tokens.find(token.hash, nowMs)).toEqual(token);
  });

  it('can be neither issued nor revoked', async () => {
    await expect(tokens.save(sampleToken())).rejects.toThrow(TokenStoreUnavailable);
    await expect(tokens.revoke(known.live.hash)).rejects.toThrow(TokenStoreUnavailable);
    expect(await tokens.find(known.live.hash, nowMs)).toEqual(known.live);
  });

  it('is refused at once if Redis was unavailable for a moment while it was revoked', async () => {
    const { redis: another, passage } = await byPassage();
    await passage.cut();
    const revoking = over(another, prefix).revoke(known.live.hash);
    await pause(300);
    await passage.heal();
    await revoking;
    expect(await tokens.find(known.live.hash, nowMs)).toBeUndefined();
  });

  it('that was revoked while Redis was unavailable is refused soon after Redis is available again', async () => {
    const { redis: another, passage } = await byPassage();
    await passage.cut();
    await over(another, prefix).revoke(known.live.hash);
    expect(await tokens.find(known.live.hash, nowMs)).toEqual(known.live);
    await passage.heal();
    await until(async () => (await tokens.find(known.live.hash, nowMs)) === undefined);
  });

  it('is checked in the log again once the log is available', async () => {
    await over(opened({ url: 'redis://127.0.0.1:1' }), prefix).revoke(known.live.hash);
    expect(await tokens.find(known.live.hash, nowMs)).toEqual(known.live);
    own.faults.unavailable = false;
    await until(async () => (await tokens.find(known.live.hash, nowMs)) === undefined);
  });
});

describeOn(['redis'], 'while neither the log nor Redis is available, a token', () => {
  const knownMs = 29_000;
  const prefix = ownName('tokens');
  afterEach(() => jest.restoreAllMocks());

  /** Creates a process that has found a live token and a revoked one. Its connection to Redis can be cut. */
  const gateway = async (options: { readonly knownMs?: number } = { knownMs }) => {
    const known = await liveAndRevoked(await direct(), prefix);
    const { redis, passage } = await byPassage();
    const { tokens, log } = processOn(redis, prefix, options);
    expect([await tokens.find(known.live.hash, nowMs), await tokens.find(known.revoked.hash, nowMs)]).toEqual([known.live, undefined]);
    return { ...known, redis, passage, tokens, log };
  };
  const later = (ms: number): void => {
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + ms);
  };
  type Gateway = Awaited<ReturnType<typeof gateway>>;
  const cut = async ({ log, passage, redis }: Gateway): Promise<void> => {
    log.faults.unavailable = true;
    await passage.cut();
    await until(() => redis.status !== 'ready');
  };

  it('that this process has confirmed stays valid for a limited time; a revoked one stays refused', async () => {
    const process = await gateway();
    await cut(process);
    const { tokens, live, revoked } = process;
    expect([await tokens.find(live.hash, nowMs), await tokens.find(revoked.hash, nowMs)]).toEqual([live, undefined]);
    expect(await tokens.find(live.hash, live.expiresAtMs)).toBeUndefined();
    later(knownMs);
    await expect(tokens.find(live.hash, nowMs)).rejects.toThrow(TokenStoreUnavailable);
    expect(await tokens.find(revoked.hash, nowMs)).toBeUndefined();
  });

  it('can also be confirmed by its signed entry', async () => {
    const process = await gateway();
    const { tokens, live, log } = process;
    log.faults.unavailable = true;
    later(knownMs);
    expect(await tokens.find(live.hash, nowMs)).toEqual(live);
    await cut(process);
    expect(await tokens.find(live.hash, nowMs)).toEqual(live);
  });

  it.each([500, 2_000])('is refused if it is marked as revoked in Redis, although the process was paused for %d ms', async (pausedMs) => {
    const { live } = await liveAndRevoked(await direct(), prefix);
    const { tokens, log } = processOn(await direct(), prefix, { knownMs });
    expect(await tokens.find(live.hash, nowMs)).toEqual(live);
    await over(await direct(), prefix).revoke(live.hash);
    log.faults.unavailable = true;
    const found = tokens.find(live.hash, nowMs);
    await pauseProcess(pausedMs);
    expect(await found).toBeUndefined();
  });

  it('is refused if it is marked as revoked in Redis, although the connection was lost for a moment', async () => {
    const { tokens, live, log, passage } = await gateway();
    await over(await direct(), prefix).revoke(live.hash);
    log.faults.unavailable = true;
    await passage.cut();
    const found = tokens.find(live.hash, nowMs);
    await pause(300);
    await passage.heal();
    expect(await found).toBeUndefined();
  });

  it('that this process has not seen is neither accepted nor refused', async () => {
    const process = await gateway();
    await cut(process);
    await expect(process.tokens.find(sampleToken().hash, nowMs)).rejects.toThrow(TokenStoreUnavailable);
  });

  it('is neither accepted nor refused in a process that does not only read', async () => {
    const process = await gateway({});
    await cut(process);
    await expect(process.tokens.find(process.live.hash, nowMs)).rejects.toThrow(TokenStoreUnavailable);
  });

  it('is neither accepted nor refused if Redis responds but does not have it', async () => {
    const process = await gateway();
    process.log.faults.unavailable = true;
    await wipe(await direct(), prefix);
    await expect(process.tokens.find(process.live.hash, nowMs)).rejects.toThrow(TokenStoreUnavailable);
  });

  it('is neither accepted nor refused if Redis has a value of another type under its key', async () => {
    const process = await gateway();
    process.log.faults.unavailable = true;
    const [redis, key] = [await direct(), `${prefix}:signed:token:${process.live.hash}`];
    await redis.del(key);
    await redis.lpush(key, 'a list');
    await expect(process.tokens.find(process.live.hash, nowMs)).rejects.toThrow(TokenStoreUnavailable);
  });

  it('of a log that has a new incarnation is refused', async () => {
    const process = await gateway();
    process.log.faults.incarnation = 'another';
    await pause(outdatedMs);
    expect(await process.tokens.find(process.live.hash, nowMs)).toBeUndefined();
    await cut(process);
    await expect(process.tokens.find(process.live.hash, nowMs)).rejects.toThrow(TokenStoreUnavailable);
  });
});
