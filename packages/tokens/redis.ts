import { type EventLog, LogUnavailable, type Revision } from '@waymark/event-log/event-log.ts';
import type { Redis } from 'ioredis';
import { incarnationOf } from './incarnation.ts';
import { sharedLooks } from './looks.ts';
import { type Remembered, redisEntries } from './redis-entries.ts';
import { isTokenHash, type TokenRecord, type Tokens, TokensUnavailable } from './tokens.ts';

export type RedisTokensOptions = {
  /** Where the truth is: tokens in the event log. */
  readonly tokens: Tokens;
  readonly log: EventLog;
  readonly redis: Redis;
  /** What keys in Redis begin with. */
  readonly prefix: string;
};

/** Tokens of the event log, remembered in Redis. What Redis remembers counts only once the log has confirmed that the token was not revoked,
 * unless it is remembered as revoked; where the log does not answer, Redis' word counts; where Redis is away or was wiped, the log alone. */
export const redisTokens = ({ tokens, log, redis, prefix }: RedisTokensOptions): Tokens => {
  const entries = redisEntries(redis, prefix);
  const lastRevision = sharedLooks(log);
  const incarnation = incarnationOf(log);

  const remember = async (record: TokenRecord, of: string): Promise<TokenRecord> => {
    await entries.put({ record, incarnation: of });
    return record;
  };

  const fromTruth = async (hash: string, nowMs: number, present: string): Promise<TokenRecord | undefined> => {
    const record = await tokens.find(hash, nowMs);
    return record && remember(record, present);
  };

  const find = async (hash: string, nowMs: number): Promise<TokenRecord | undefined> => {
    const [remembered, confirmed] = await Promise.all([entries.get(hash), answerOf(lastRevision(hash), incarnation.now())]);
    if (remembered === 'revoked') return undefined;
    if (confirmed === 'away') return alone(remembered, incarnation.before(), nowMs);
    if (confirmed.revision !== 0) {
      if (remembered && confirmed.revision !== 'none') await entries.forbid(hash);
      return undefined;
    }
    return remembered?.incarnation === confirmed.incarnation ? unexpired(remembered, nowMs) : fromTruth(hash, nowMs, confirmed.incarnation);
  };

  return {
    save: async (record) => {
      await tokens.save(record);
      // Where the log has fallen silent since, Redis alone tells of the token: by the name that the log had before.
      const present = await incarnation.now().catch(incarnation.before);
      if (present !== undefined) await remember(record, present);
    },
    find: async (hash, nowMs) => (isTokenHash(hash) ? find(hash, nowMs) : undefined),
    revoke: async (hash) => {
      await tokens.revoke(hash);
      // What never was is not remembered: it may still come.
      if (isTokenHash(hash) && (await lastRevision(hash).catch(() => 0)) !== 'none') await entries.forbid(hash);
    },
  };
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

/** Redis' word, where the log does not answer. @throws TokensUnavailable where it has none: the log may know better */
const alone = (remembered: Remembered | undefined, present: string | undefined, nowMs: number): TokenRecord | undefined => {
  if (!remembered) throw new TokensUnavailable('Neither the event log nor Redis tell of this token.');
  return present === undefined || present === remembered.incarnation ? unexpired(remembered, nowMs) : undefined;
};

const unexpired = ({ record }: Remembered, nowMs: number): TokenRecord | undefined => (record.expiresAtMs > nowMs ? record : undefined);
