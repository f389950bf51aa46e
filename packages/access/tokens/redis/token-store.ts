import { type EventLog, LogUnavailable, type Revision } from '@waymark/event-log/event-log.ts';
import type { Signer } from '@waymark/signing/signer.ts';
import type { Redis } from 'ioredis';
import { createIncarnation } from '../event-log/incarnation.ts';
import { createSharedLookups } from '../event-log/shared-lookups.ts';
import { createKnownTokens, type KnownTokens } from '../known-tokens.ts';
import { isTokenHash, type TokenRecord, type TokenStore, TokenStoreUnavailable } from '../token-store.ts';
import { createEntries, type Found, type Remembered } from './entries.ts';

export type RedisTokenStoreOptions = {
  /** Where the truth is: tokens in the event log. */
  readonly tokens: TokenStore;
  readonly log: EventLog;
  readonly redis: Redis;
  /** What keys in Redis begin with. */
  readonly prefix: string;
  readonly signer: Signer;
  /** Where neither the log nor Redis answers, a token that one of them confirmed to this process is good for this many milliseconds more. */
  readonly knownMs?: number;
};

/** Tokens of the event log, remembered in Redis. An entry that is not signed is none. A signed one counts only once the log has confirmed that
 * the token was not revoked, unless the entry says that it was; where the log does not answer, the signed entry counts; where Redis is
 * unavailable or was wiped, the log alone; where both are unavailable, what this process has confirmed for a short time. */
export const createRedisTokenStore = ({ tokens, log, redis, prefix, signer, knownMs = 0 }: RedisTokenStoreOptions): TokenStore => {
  const entries = createEntries(redis, prefix, signer);
  const lastRevision = createSharedLookups(log);
  const incarnation = createIncarnation(log);
  const known = createKnownTokens();

  /** The record of a token that the log has confirmed: it never changes, so that one confirmed before will do. */
  const recordOf = async (hash: string, nowMs: number, present: string, found: Found | undefined): Promise<TokenRecord | undefined> => {
    const [entry, own] = [found?.entry, known.find(hash)];
    if (isOf(entry, present)) return entry.record;
    const record = isOf(own, present) ? own.record : await tokens.find(hash, nowMs);
    if (record) await entries.put({ record, incarnation: present }, found);
    return record;
  };

  const revoked = async (hash: string, found: Found | undefined): Promise<undefined> => {
    known.revoke(hash);
    if (found?.entry) await entries.forbid(hash);
  };

  const find = async (hash: string, nowMs: number): Promise<TokenRecord | undefined> => {
    const askedMs = performance.now();
    const [found, confirmed] = await Promise.all([entries.get(hash, nowMs), answerOf(lastRevision(hash), incarnation.now())]);
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
      // Where the log has fallen silent since, Redis alone tells of the token: by the name that the log had before.
      const present = await incarnation.now().catch(incarnation.before);
      if (present !== undefined) await entries.put({ record, incarnation: present }, undefined);
    },
    find: async (hash, nowMs) => {
      const record = isTokenHash(hash) ? await find(hash, nowMs) : undefined;
      return record && record.expiresAtMs > nowMs ? record : undefined;
    },
    revoke: async (hash) => {
      await tokens.revoke(hash);
      // What never was is not remembered: it may still come.
      if (isTokenHash(hash) && (await lastRevision(hash).catch(() => 0)) !== 'none') await entries.forbid(hash);
    },
  };
};

type Own = { readonly known: KnownTokens; readonly knownMs: number; readonly present: string | undefined };

/** Where the log does not answer. `present`: its incarnation, as it was last known. @throws TokenStoreUnavailable where nothing is known of the
 * token: the log may know better */
const withoutLog = ({ known, knownMs, present }: Own, hash: string, found: Found | undefined, askedMs: number): TokenRecord | undefined => {
  const own = known.find(hash);
  if (own === 'revoked') return undefined;
  const entry = found?.entry;
  if (entry !== undefined && entry !== 'revoked') {
    if (present !== undefined && !isOf(entry, present)) return undefined;
    known.confirm(entry, askedMs);
    return entry.record;
  }
  const isKnown = found === undefined && own !== undefined && askedMs - own.confirmedAtMs < knownMs;
  if (isKnown && (present === undefined || isOf(own, present))) return own.record;
  throw new TokenStoreUnavailable('Neither the event log nor Redis tell of this token.');
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
