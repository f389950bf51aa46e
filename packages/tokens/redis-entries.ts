import type { Redis } from 'ioredis';
import { entryCharactersMax } from './limits.ts';
import { type TokenRecord, tokenLifetimeSeconds } from './tokens.ts';

/** A token as Redis remembers it, and the incarnation of the log that knew it. */
export type Remembered = { readonly record: TokenRecord; readonly incarnation: string };

export type Entries = {
  /** Undefined: nothing is remembered, or Redis is away. */
  readonly get: (hash: string) => Promise<Remembered | 'revoked' | undefined>;
  /** Best effort, as all here: a token that is remembered as revoked stays so. */
  readonly put: (entry: Remembered) => Promise<void>;
  readonly forbid: (hash: string) => Promise<void>;
};

const revoked = 'revoked';
/** No token lives longer than from now on. */
const entryMs = tokenLifetimeSeconds * 1_000;

/** `prefix`: what their keys begin with. */
export const redisEntries = (redis: Redis, prefix: string): Entries => {
  const key = (hash: string): string => `${prefix}:token:${hash}`;
  return {
    get: async (hash) => {
      const text = await redis.get(key(hash)).catch(() => null);
      return text === revoked ? revoked : parsed(text, hash);
    },
    put: async (entry) => {
      await redis.set(key(entry.record.hash), JSON.stringify(entry), 'PX', entryMs, 'NX').catch(() => null);
    },
    forbid: async (hash) => {
      await redis.set(key(hash), revoked, 'PX', entryMs).catch(() => null);
    },
  };
};

/** What comes back may have been written by anybody. */
const parsed = (text: string | null, hash: string): Remembered | undefined => {
  if (text === null || text.length > entryCharactersMax) return undefined;
  try {
    const entry = JSON.parse(text) as Remembered | null;
    return entry && isRemembered(entry) && entry.record.hash === hash ? entry : undefined;
  } catch {
    return undefined;
  }
};

const isRemembered = ({ record, incarnation }: Remembered): boolean =>
  [incarnation, record.id, record.application, record.account, record.secretId].every((text) => typeof text === 'string') &&
  [record.applicationRevision, record.issuedAtMs, record.expiresAtMs].every(Number.isSafeInteger) &&
  Array.isArray(record.scopes);
