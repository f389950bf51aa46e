import type { Signer } from '@waymark/signing/signer.ts';
import type { Redis } from 'ioredis';
import { entryBytesMax } from '../limits.ts';
import { fromStoredToken, type StoredToken, toStoredToken } from '../stored-token.ts';
import { type TokenRecord, tokenLifetimeSeconds } from '../token-store.ts';

/** A token as Redis remembers it, and the incarnation of the log that knew it. */
export type Remembered = { readonly record: TokenRecord; readonly incarnation: string };

/** What Redis has under a token's key. */
export type Found = {
  /** What a signed entry says. Undefined: there is none, or it has expired, or a process without the key wrote it. */
  readonly entry: Remembered | 'revoked' | undefined;
  /** The value as it was read, up to the length of the longest entry. */
  readonly bytes: Buffer;
};

export type Entries = {
  /** Undefined: Redis does not answer. */
  readonly get: (hash: string, nowMs: number) => Promise<Found | undefined>;
  /** Best effort, as all here. Replaces nothing but the value that was found: so a token that another process marks as revoked stays so. */
  readonly put: (entry: Remembered, found: Found | undefined) => Promise<void>;
  readonly forbid: (hash: string) => Promise<void>;
};

/** A `Remembered` in Redis. Stored and signed: never rename, and keep the order. */
type StoredEntry = { readonly record: StoredToken; readonly incarnation: string };
/** The mark of a token that was revoked: it counts until no token that was issued before can live. Stored and signed: never rename. */
type StoredMark = { readonly revokedUntilMs: number };

const toStored = (entry: Remembered): StoredEntry => ({ record: toStoredToken(entry.record), incarnation: entry.incarnation });
const fromStored = (stored: StoredEntry): Remembered => ({ record: fromStoredToken(stored.record), incarnation: stored.incarnation });

/** No token lives longer than from now on. */
const entryMs = tokenLifetimeSeconds * 1_000;
const signatureBytes = 32;
/** Another form of an entry is another kind. */
const kind = 'token';
const nothing = Buffer.alloc(0);

/** Compares and sets in one step. A value of another type than text is none of ours. */
const replace = `
  if redis.call('type', KEYS[1]).ok == 'string' and redis.call('getrange', KEYS[1], 0, ARGV[3]) ~= ARGV[2] then return 0 end
  redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[4])
  return 1`;

/** Entries are signed together with their key: other processes that write to Redis cannot make one, change one, or move one to another
 * token. What they can do is to remove entries and to bring back old ones. `prefix`: what the keys begin with. */
export const createEntries = (redis: Redis, prefix: string, signer: Signer): Entries => {
  // Release 0.1.0 has unsigned entries under `token:`.
  const keyOf = (hash: string): string => `${prefix}:signed:token:${hash}`;
  const signed = (key: string, value: StoredEntry | StoredMark): string => {
    const body = JSON.stringify(value);
    return signer.sign(kind, key, body) + body;
  };
  const entryOf = (key: string, bytes: Buffer, nowMs: number): Found['entry'] => {
    if (bytes.length <= signatureBytes || bytes.length > entryBytesMax) return undefined;
    const body = bytes.subarray(signatureBytes);
    if (!signer.verify(bytes.toString('latin1', 0, signatureBytes), kind, key, body)) return undefined;
    const value = JSON.parse(body.toString()) as StoredEntry | StoredMark;
    if ('revokedUntilMs' in value) return value.revokedUntilMs > nowMs ? 'revoked' : undefined;
    return fromStored(value);
  };
  return {
    get: async (hash, nowMs) => {
      const key = keyOf(hash);
      // No more than an entry may have: a value can be of 512 MB.
      const bytes = await redis.getrangeBuffer(key, 0, entryBytesMax).catch(nothingOfOurs);
      return bytes && { bytes, entry: entryOf(key, bytes, nowMs) };
    },
    put: async (entry, found) => {
      const key = keyOf(entry.record.hash);
      const before = found?.bytes ?? nothing;
      await redis.eval(replace, 1, key, signed(key, toStored(entry)), before, entryBytesMax, entryMs).catch(() => null);
    },
    forbid: async (hash) => {
      const key = keyOf(hash);
      await redis.set(key, signed(key, { revokedUntilMs: Date.now() + entryMs }), 'PX', entryMs).catch(() => null);
    },
  };
};

/** A value of another type is an answer, too. */
const nothingOfOurs = (error: Error): Buffer | undefined => (error.message.startsWith('WRONGTYPE') ? nothing : undefined);
