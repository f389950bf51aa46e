import { type EventLog, LogUnavailable, type Revision } from '@waymark/event-log/event-log.ts';
import type { Signer } from '@waymark/signing/signer.ts';
import type { Redis } from 'ioredis';
import { createIncarnation } from '../event-log/incarnation.ts';
import { createSharedLookups } from '../event-log/shared-lookups.ts';
import { createKnownTokens, type KnownTokens } from '../known-tokens.ts';
import { isTokenHash, type TokenRecord, type TokenStore, TokenStoreUnavailable } from '../token-store.ts';
import { createEntries, type Found, type Remembered } from './entries.ts';

export type RedisTokenStoreOptions = {
  /** The source of truth: the tokens in the event log. */
  readonly tokens: TokenStore;
  readonly log: EventLog;
  readonly redis: Redis;
  /** The prefix of the keys in Redis. */
  readonly prefix: string;
  readonly signer: Signer;
  /** While neither the log nor Redis is available, a token that one of them has confirmed to this process stays valid for this many
   * milliseconds. */
  readonly knownMs?: number;
};

/** Caches the tokens of the event log in Redis. An unsigned entry is ignored. A signed entry counts only once the log has confirmed that
 * the token was not revoked, unless the entry itself marks it as revoked. While the log is unavailable, the signed entry alone counts.
 * While Redis is unavailable or after it was wiped, the log alone counts. While both are unavailable, the process uses its own
 * confirmations for a short time. */
export const createRedisTokenStore = ({ tokens, log, redis, prefix, signer, knownMs = 0 }: RedisTokenStoreOptions): TokenStore => {
  const entries = createEntries(redis, prefix, signer);
  const lastRevision = createSharedLookups(log);
  const incarnation = createIncarnation(log);
  const known = createKnownTokens();

  /** Returns the record of a token that the log has confirmed. A record never changes, so one that was confirmed earlier can be used. */
  const recordOf = async (hash: string, nowMs: number, present: string, found: Found | undefined): Promise<TokenRecord | undefined> => {
    const [entry, own] = [found?.entry, known.find(hash)];
    if (isOf(entry, present)) return entry.record;
    const record = isOf(own, present) ? own.record : await tokens.find(hash, nowMs);
    if (record) await entries.put({ record, incarnation: present }, found);
    return record;
  };

  const revoked = async (hash: string, found: Found | undefined): Promise<undefined> => {
    known.revoke(hash);
    if (found?.entry) await entries.markRevoked(hash);
  };

  const find = async (hash: string, nowMs: number): Promise<TokenRecord | undefined> => {
    const askedMs = performance.now();
    const [first, confirmed] = await Promise.all([entries.get(hash, nowMs), answerOf(lastRevision(hash), incarnation.now())]);
    // Without the log, only Redis knows whether another process has revoked the token.
    const found = first ?? (confirmed === 'away' ? await entries.getAgain(hash, nowMs) : undefined);
    if (found?.entry === 'revoked') return revoked(hash, undefined);
    if (confirmed === 'away') return withoutLog({ known, knownMs, present: incarnation.before() }, hash, found, askedMs);
    if (confirmed.revision === 'none') return undefined;
    if (confirmed.revision !== 0) return revoked(hash, found);
    const record = await recordOf(hash, nowMs, confirmed.incarnation, found);
    if (record) known.confirm({ record, incarnation: confirmed.incarnation }, askedMs);
    return record;
  };

  return {
    save: async (record) => {
      await tokens.save(record);
      // If the log has become unavailable since, only Redis has the token. The entry then carries the last known incarnation.
      const present = await incarnation.now().catch(incarnation.before);
      if (present !== undefined) await entries.put({ record, incarnation: present }, undefined);
    },
    find: async (hash, nowMs) => {
      const record = isTokenHash(hash) ? await find(hash, nowMs) : undefined;
      return record && record.expiresAtMs > nowMs ? record : undefined;
    },
    revoke: async (hash) => {
      await tokens.revoke(hash);
      // A token that does not exist is not marked as revoked: it may still be issued.
      if (isTokenHash(hash) && (await lastRevision(hash).catch(() => 0)) !== 'none') await entries.markRevoked(hash);
    },
  };
};

type Own = { readonly known: KnownTokens; readonly knownMs: number; readonly present: string | undefined };

/** Returns a token while the log is unavailable. `present`: its last known incarnation.
 * @throws TokenStoreUnavailable if neither Redis nor this process knows the token: the log may have it */
const withoutLog = ({ known, knownMs, present }: Own, hash: string, found: Found | undefined, askedMs: number): TokenRecord | undefined => {
  const own = known.find(hash);
  if (own === 'revoked') return undefined;
  const entry = found?.entry;
  if (entry !== undefined && entry !== 'revoked') {
    if (present !== undefined && !isOf(entry, present)) return undefined;
    known.confirm(entry, askedMs);
    return entry.record;
  }
  const isKnown = found === undefined && own !== undefined && performance.now() - own.confirmedAtMs < knownMs;
  if (isKnown && (present === undefined || isOf(own, present))) return own.record;
  throw new TokenStoreUnavailable('Neither the event log nor Redis can confirm this token.');
};

type Confirmed = { readonly revision: Revision; readonly incarnation: string };

const answerOf = async (revision: Promise<Revision>, incarnation: Promise<string>): Promise<Confirmed | 'away'> => {
  try {
    const [one, other] = await Promise.all([revision, incarnation]);
    return { revision: one, incarnation: other };
  } catch (error) {
    if (error instanceof LogUnavailable) return 'away';
    throw error;
  }
};

const isOf = <One extends Remembered>(entry: One | 'revoked' | undefined, incarnation: string): entry is One =>
  entry !== undefined && entry !== 'revoked' && entry.incarnation === incarnation;
