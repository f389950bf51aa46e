import { setTimeout as pause } from 'node:timers/promises';
import { createCircuitBreaker } from '@waymark/event-log/circuit-breaker.ts';
import { openEventStoreLog } from '@waymark/event-log/eventstoredb/event-log.ts';
import { ready } from '@waymark/redis/testing/connections.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { pauseProcess } from '@waymark/timing/testing/pause-process.ts';
import type { Redis } from 'ioredis';
import { tokensContract } from '../../contract/token-store.ts';
import { sampleToken } from '../../testing/sample-token.ts';
import { signer, tokensInRedis } from '../../testing/tokens-in-redis.ts';
import { outdatedMs } from '../../testing/unreliable.ts';
import { entryBytesMax, lookupStreamsMax } from '../limits.ts';
import { TokenStoreUnavailable, tokenLifetimeSeconds } from '../token-store.ts';
import { createEntries } from './entries.ts';

// The contract test saves 600 tokens at once, and the engine shares a busy machine with many other tests.
const nowMs = Date.UTC(2026, 5, 1);
const { direct, byPassage, opened, over, processOn, liveAndRevoked, wipe } = tokensInRedis();

describe('while Redis is unavailable,', () => {
  tokensContract('the event log behind it', () => over(opened({ url: 'redis://127.0.0.1:1' })));

  it('tokens are unavailable too while the log is unavailable', async () => {
    const { tokens, log: own } = processOn(opened({ url: 'redis://127.0.0.1:1' }), 'prefix');
    const record = sampleToken();
    await tokens.save(record);
    own.faults.unavailable = true;
    const calls = [() => tokens.save(record), () => tokens.find(record.hash, nowMs), () => tokens.revoke(record.hash)];
    for (const call of calls) await expect(call()).rejects.toThrow(TokenStoreUnavailable);
  });
});

describeOn(['redis'], 'with Redis,', () => {
  tokensContract('the event log in SQLite', async () => over(await direct()));
});

describeOn(['redis', 'eventstore'], 'with Redis,', () => {
  let store: ReturnType<typeof openEventStoreLog>;
  beforeAll(() => {
    store = openEventStoreLog({ url: urlOf('eventstore') });
  });
  afterAll(() => store.close());
  tokensContract('the event log in EventStoreDB', async () => over(await direct(), ownName('tokens'), store));

  it('a process that was paused until its time limits were over finds no token that another one has revoked', async () => {
    const [record, prefix] = [sampleToken(), ownName('tokens')];
    const auth = over(await direct(), prefix, store);
    const gateway = over(await direct(), prefix, createCircuitBreaker(store), { knownMs: 30_000 });
    await auth.save(record);
    expect(await gateway.find(record.hash, nowMs)).toEqual(record);
    await auth.revoke(record.hash);
    const found = gateway.find(record.hash, nowMs);
    await pauseProcess(1_500);
    expect(await found).toBeUndefined();
  });
});

describeOn(['redis'], 'tokens in Redis', () => {
  let redis: Redis;
  let prefix: string;
  beforeEach(async () => {
    redis = await direct();
    prefix = ownName('tokens');
  });

  it('have only their hashes in Redis, and expire there after the longest lifetime of a token', async () => {
    const { live, revoked } = await liveAndRevoked(redis, prefix);
    const keys = await redis.keys(`${prefix}*`);
    expect(keys.sort()).toEqual([live, revoked].map(({ hash }) => `${prefix}:signed:token:${hash}`).sort());
    for (const key of keys) {
      const ms = await redis.pttl(key);
      expect(ms > 0 && ms <= 36_000_000).toBe(true);
    }
  });

  it('are found with a single query of the log, shared by all calls of one turn', async () => {
    const records = Array.from({ length: 100 }, () => sampleToken());
    await Promise.all(records.map((record) => over(redis, prefix).save(record)));
    const { tokens, log: own } = processOn(redis, prefix);
    const found = await Promise.all([...records, ...records].map(({ hash }) => tokens.find(hash, nowMs)));
    expect(found).toEqual([...records, ...records]);
    expect(own.requested.read).toEqual([]);
    expect(own.requested.last.map(({ length }) => length)).toEqual([100]);
  });

  it('are looked up in queries of a bounded size', async () => {
    const { tokens, log: own } = processOn(redis, prefix);
    const hashes = Array.from({ length: lookupStreamsMax + 1 }, () => sampleToken().hash);
    expect((await Promise.all(hashes.map((hash) => tokens.find(hash, nowMs)))).every((found) => found === undefined)).toBe(true);
    expect(own.requested.last.map(({ length }) => length).sort()).toEqual([1, lookupStreamsMax]);
  });

  it('are cached by the process that found them in the log', async () => {
    const { live } = await liveAndRevoked(redis, prefix);
    await wipe(redis, prefix);
    const { tokens, log: own } = processOn(redis, prefix);
    expect(await tokens.find(live.hash, nowMs)).toEqual(live);
    expect(await tokens.find(live.hash, nowMs)).toEqual(live);
    expect(own.requested.read).toHaveLength(1);
    own.faults.unavailable = true;
    expect(await tokens.find(live.hash, nowMs)).toEqual(live);
  });

  it('are found even if they were looked up before they were issued, also without the log', async () => {
    const record = sampleToken();
    const { tokens, log: own } = processOn(redis, prefix);
    expect(await tokens.find(record.hash, nowMs)).toBeUndefined();
    await over(redis, prefix).save(record);
    own.faults.unavailable = true;
    expect(await tokens.find(record.hash, nowMs)).toEqual(record);
  });

  it('are valid even if they were revoked before they were issued: there was nothing to revoke', async () => {
    const record = sampleToken();
    const tokens = over(redis, prefix);
    await tokens.revoke(record.hash);
    await tokens.save(record);
    expect(await tokens.find(record.hash, nowMs)).toEqual(record);
    expect(await over(redis, prefix).find(record.hash, nowMs)).toEqual(record);
  });

  it('stay revoked even if a process that found them before caches them afterwards', async () => {
    const record = sampleToken();
    const entries = createEntries(redis, prefix, signer);
    const found = await entries.get(record.hash, nowMs);
    await entries.markRevoked(record.hash);
    await entries.put({ record, incarnation: 'one' }, found);
    expect((await entries.get(record.hash, nowMs))?.entry).toBe('revoked');
  });

  it('are marked as revoked for as long as a token issued before can live', async () => {
    const entries = createEntries(redis, prefix, signer);
    const { hash } = sampleToken();
    const [before, , after] = [Date.now(), await entries.markRevoked(hash), Date.now()];
    const lifetimeMs = tokenLifetimeSeconds * 1_000;
    expect((await entries.get(hash, before + lifetimeMs - 1))?.entry).toBe('revoked');
    expect((await entries.get(hash, after + lifetimeMs))?.entry).toBeUndefined();
  });

  it('are stored in entries up to the maximum length; longer values are not entries', async () => {
    const entries = createEntries(redis, prefix, signer);
    const put = async (bytes: number, record = sampleToken({ application: '' })) => {
      await entries.put({ record, incarnation: 'one' }, undefined);
      const missing = bytes - (await redis.strlen(`${prefix}:signed:token:${record.hash}`));
      const padded = { record: { ...record, application: 'x'.repeat(missing) }, incarnation: 'one' };
      await entries.put(padded, await entries.get(record.hash, nowMs));
      expect(await redis.strlen(`${prefix}:signed:token:${record.hash}`)).toBe(bytes);
      return { padded, entry: (await entries.get(record.hash, nowMs))?.entry };
    };
    const { padded, entry } = await put(entryBytesMax);
    expect(entry).toEqual(padded);
    expect((await put(entryBytesMax + 1)).entry).toBeUndefined();
  });

  it('are all dropped when the log was restored from a backup', async () => {
    const { live } = await liveAndRevoked(redis, prefix);
    const { tokens, log: own } = processOn(redis, prefix);
    expect(await tokens.find(live.hash, nowMs)).toEqual(live);
    own.faults.incarnation = 'another';
    await pause(outdatedMs);
    expect(await tokens.find(live.hash, nowMs)).toBeUndefined();
    own.faults.unavailable = true;
    expect(await tokens.find(live.hash, nowMs)).toBeUndefined();
  });

  describe.each<readonly [string, (passage: Awaited<ReturnType<typeof byPassage>>['passage']) => Promise<void> | void]>([
    ['wiped', () => wipe(redis, prefix)],
    ['down', (passage) => passage.cut()],
    ['standing still', (passage) => passage.freeze()],
    ['losing its responses', (passage) => passage.loseAnswers()],
  ])('while Redis is %s', (_, interrupt) => {
    it('live ones are found and revoked ones are refused, and afterwards too', async () => {
      const { live, revoked } = await liveAndRevoked(redis, prefix);
      const { redis: own, passage } = await byPassage();
      const tokens = over(own, prefix);
      await interrupt(passage);
      const later = sampleToken();
      await tokens.save(later);
      for (let time = 0; time < 3; time += 1) {
        expect(await tokens.find(live.hash, nowMs)).toEqual(live);
        expect(await tokens.find(later.hash, nowMs)).toEqual(later);
        expect(await tokens.find(revoked.hash, nowMs)).toBeUndefined();
      }
      await passage.heal();
      await ready(own);
      expect(await tokens.find(live.hash, nowMs)).toEqual(live);
      expect(await tokens.find(later.hash, nowMs)).toEqual(later);
      expect(await tokens.find(revoked.hash, nowMs)).toBeUndefined();
    });
  });

  it('are refused at once even if Redis still has them and was not notified of their revocation', async () => {
    const { live } = await liveAndRevoked(redis, prefix);
    const { tokens, log: own } = processOn(redis, prefix);
    expect(await tokens.find(live.hash, nowMs)).toEqual(live);
    const { redis: cut, passage } = await byPassage();
    await passage.cut();
    await over(cut, prefix).revoke(live.hash);
    expect(await redis.get(`${prefix}:signed:token:${live.hash}`)).toContain(live.id);
    expect(await tokens.find(live.hash, nowMs)).toBeUndefined();
    // Redis now has the revocation mark: the token is refused without the log as well.
    own.faults.unavailable = true;
    expect(await tokens.find(live.hash, nowMs)).toBeUndefined();
  });
});
