import { createSigner } from '@waymark/signing/signer.ts';
import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import type { Redis } from 'ioredis';
import { sampleToken } from '../../testing/sample-token.ts';
import { signer, tokensInRedis } from '../../testing/tokens-in-redis.ts';
import { entryBytesMax } from '../limits.ts';
import { type TokenRecord, TokenStoreUnavailable } from '../token-store.ts';
import { createEntries } from './entries.ts';

const nowMs = Date.UTC(2026, 5, 1);
const stranger = createSigner(['s'.repeat(32)]);
const { direct, processOn, liveAndRevoked } = tokensInRedis();

describeOn(['redis'], 'in a Redis that another party writes to,', () => {
  let redis: Redis;
  let prefix: string;
  let live: TokenRecord;
  let revoked: TokenRecord;
  beforeEach(async () => {
    redis = await direct();
    prefix = ownName('tokens');
    ({ live, revoked } = await liveAndRevoked(redis, prefix));
  });
  const keyOf = ({ hash }: TokenRecord): string => `${prefix}:signed:token:${hash}`;
  const storedFor = async (record: TokenRecord): Promise<string> => (await redis.get(keyOf(record))) ?? '';
  const powerful = (): TokenRecord => ({ ...live, account: 'another', application: 'another', scopes: ['write', 'read', 'audit'] });
  const incarnation = async (): Promise<string> => (await processOn(redis, prefix).log.state()).incarnation;
  /** Returns a signed entry as another installation, or a process with another key, would write it. */
  const writtenBy = async (by: typeof signer, under: string, record: TokenRecord): Promise<string> => {
    const entries = createEntries(redis, under, by);
    await entries.put({ record, incarnation: await incarnation() }, await entries.get(record.hash, nowMs));
    return (await redis.get(`${under}:signed:token:${record.hash}`)) ?? '';
  };

  type Forge = () => Promise<string | Buffer>;
  const forgeries: Readonly<Record<string, Forge>> = {
    'an entry without a signature': async () => JSON.stringify({ record: powerful(), incarnation: await incarnation() }),
    'an entry whose account was changed': async () => (await storedFor(live)).replace(live.account, 'f'.repeat(32)),
    'an entry whose scopes were changed': async () => (await storedFor(live)).replace('"read"', '"audit"'),
    'an entry whose expiry was changed': async () => (await storedFor(live)).replace(/("expiresAtMs":)\d+/, '$19999999999999'),
    'the entry of another token': async () => {
      const other = sampleToken({ account: 'another' });
      await processOn(redis, prefix).tokens.save(other);
      return storedFor(other);
    },
    'the mark of another token that was revoked': async () => storedFor(revoked),
    'the mark of release 0.1.0': async () => 'revoked',
    'an entry that was signed with another key': async () => writtenBy(stranger, ownName('tokens'), powerful()),
    'an entry that was signed under another name': async () => writtenBy(signer, ownName('tokens'), powerful()),
    'a check value for a signature': async () => `${signer.checks[0]}${JSON.stringify({ record: powerful(), incarnation: 'one' })}`,
    'nothing but a signature': async () => (await storedFor(live)).slice(0, 32),
    'an empty value': async () => '',
    'bytes that are not text': async () => Buffer.from([0xff, 0xfe, 0x00, 0xc3]),
    'a value that is longer than an entry': async () => `${await storedFor(live)}${'x'.repeat(2 * entryBytesMax)}`,
  };

  it.each(Object.entries(forgeries))('%s does not change what a token permits, and is replaced', async (_, forge) => {
    await redis.set(keyOf(live), await forge());
    const { tokens, log } = processOn(redis, prefix);
    expect(await tokens.find(live.hash, nowMs)).toEqual(live);
    expect(log.requested.read).toHaveLength(1);
    const another = processOn(redis, prefix);
    another.log.faults.unavailable = true;
    expect(await another.tokens.find(live.hash, nowMs)).toEqual(live);
  });

  it.each(Object.entries(forgeries))('%s is ignored while the log is unavailable', async (_, forge) => {
    await redis.set(keyOf(live), await forge());
    const { tokens, log } = processOn(redis, prefix);
    log.faults.unavailable = true;
    await expect(tokens.find(live.hash, nowMs)).rejects.toThrow(TokenStoreUnavailable);
  });

  it('a value of another type is replaced', async () => {
    await redis.del(keyOf(live));
    await redis.lpush(keyOf(live), 'a list');
    expect(await processOn(redis, prefix).tokens.find(live.hash, nowMs)).toEqual(live);
    expect(await storedFor(live)).toContain(live.id);
  });

  it('values that release 0.1.0 wrote are neither read nor changed', async () => {
    const older = [`${prefix}:token:${live.hash}`, `${prefix}:token:${revoked.hash}`] as const;
    const entry = JSON.stringify({ record: { ...revoked, account: 'another' }, incarnation: await incarnation() });
    await redis.mset(older[0], 'revoked', older[1], entry);
    const { tokens } = processOn(redis, prefix);
    expect([await tokens.find(live.hash, nowMs), await tokens.find(revoked.hash, nowMs)]).toEqual([live, undefined]);
    await tokens.revoke(live.hash);
    expect(await redis.mget(...older)).toEqual(['revoked', entry]);
  });

  it('a value is replaced only if it is still the one that was found: a token that was marked as revoked meanwhile stays revoked', async () => {
    await redis.set(keyOf(live), 'forged');
    const entries = createEntries(redis, prefix, signer);
    const found = await entries.get(live.hash, nowMs);
    await entries.markRevoked(live.hash);
    await entries.put({ record: live, incarnation: 'one' }, found);
    expect((await entries.get(live.hash, nowMs))?.entry).toBe('revoked');
  });

  describe('an old entry that was signed before the token was revoked', () => {
    let old: string;
    beforeEach(async () => {
      old = await storedFor(live);
      await processOn(redis, prefix).tokens.revoke(live.hash);
      await redis.set(keyOf(live), old);
    });

    it('is refused by the log, and the token is marked as revoked again', async () => {
      expect(await processOn(redis, prefix).tokens.find(live.hash, nowMs)).toBeUndefined();
      expect((await createEntries(redis, prefix, signer).get(live.hash, nowMs))?.entry).toBe('revoked');
    });

    it('is refused without the log by a process that knows the revocation', async () => {
      const { tokens, log } = processOn(redis, prefix);
      expect(await tokens.find(live.hash, nowMs)).toBeUndefined();
      await redis.set(keyOf(live), old);
      log.faults.unavailable = true;
      expect(await tokens.find(live.hash, nowMs)).toBeUndefined();
    });
  });

  it('a token expires at the time in its entry, even if Redis keeps the entry forever', async () => {
    await redis.persist(keyOf(live));
    const { tokens, log } = processOn(redis, prefix);
    log.faults.unavailable = true;
    expect(await tokens.find(live.hash, live.expiresAtMs - 1)).toEqual(live);
    expect(await tokens.find(live.hash, live.expiresAtMs)).toBeUndefined();
  });

  it('an entry signed with any of the configured keys is valid', async () => {
    const rotated = createSigner(['n'.repeat(32), 'k'.repeat(32)]);
    const { tokens, log } = processOn(redis, prefix, { signer: rotated });
    log.faults.unavailable = true;
    expect([await tokens.find(live.hash, nowMs), await tokens.find(revoked.hash, nowMs)]).toEqual([live, undefined]);
  });
});
