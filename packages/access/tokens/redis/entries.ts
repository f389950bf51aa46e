import { setTimeout as pause } from 'node:timers/promises';
import { createCache } from '@waymark/caches/cache.ts';
import type { Signer } from '@waymark/signing/signer.ts';
import type { Redis } from 'ioredis';
import { entryBytesMax, missingMarksMax, missingMarksRepeatMs } from '../limits.ts';
import { fromStoredToken, type StoredToken, toStoredToken } from '../stored-token.ts';
import { type TokenRecord, tokenLifetimeSeconds } from '../token-store.ts';
import { createTries } from './tries.ts';

/** A token as it is cached in Redis, with the incarnation of the log that contained it. */
export type Remembered = { readonly record: TokenRecord; readonly incarnation: string };

/** The value that Redis has under a token's key. */
export type Found = {
  /** The content of a signed entry. Undefined if there is none, if it has expired, or if a process without the key wrote it. */
  readonly entry: Remembered | 'revoked' | undefined;
  /** The value as it was read, up to the length of the longest entry. */
  readonly bytes: Buffer;
};

export type Entries = {
  /** Returns undefined if Redis does not respond. */
  readonly get: (hash: string, nowMs: number) => Promise<Found | undefined>;
  /** Asks until Redis responds. Returns undefined if Redis is unreachable. */
  readonly getAgain: (hash: string, nowMs: number) => Promise<Found | undefined>;
  /** Writes an entry. Best effort. Replaces only the value that was found, so a token that another process has marked as revoked stays
   * revoked. */
  readonly put: (entry: Remembered, found: Found | undefined) => Promise<void>;
  /** Marks a token as revoked. If Redis is unreachable or full, the mark is written in the background as soon as Redis takes it. A full
   * Redis loses the entry at once. */
  readonly markRevoked: (hash: string) => Promise<void>;
};

/** A `Remembered` in Redis. Stored and signed: never rename a field, and keep their order. */
type StoredEntry = { readonly record: StoredToken; readonly incarnation: string };
/** The mark of a revoked token. It counts until every token that was issued before the revocation has expired. Stored and signed: never
 * rename. */
type StoredMark = { readonly revokedUntilMs: number };

const toStored = (entry: Remembered): StoredEntry => ({ record: toStoredToken(entry.record), incarnation: entry.incarnation });
const fromStored = (stored: StoredEntry): Remembered => ({ record: fromStoredToken(stored.record), incarnation: stored.incarnation });

/** No token lives longer than this, counted from now. */
const entryMs = tokenLifetimeSeconds * 1_000;
const signatureBytes = 32;
/** The kind that is signed. Another form of an entry needs another kind. */
const kind = 'token';
const nothing = Buffer.alloc(0);

/** Compares and sets in one step. A value of a type other than string is not an entry of this installation, and is replaced. */
const replace = `
  if redis.call('type', KEYS[1]).ok == 'string' and redis.call('getrange', KEYS[1], 0, ARGV[3]) ~= ARGV[2] then return 0 end
  redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[4])
  return 1`;

/** Reads and writes signed entries. The signature includes the key, so a process without the signing key cannot create an entry, change
 * one, or move one to another token. It can remove entries and restore old ones. `prefix`: the prefix of the keys. */
export const createEntries = (redis: Redis, prefix: string, signer: Signer): Entries => {
  // Release 0.1.0 stores unsigned entries under `token:`.
  const keyOf = (hash: string): string => `${prefix}:signed:token:${hash}`;
  const signed = (key: string, value: StoredEntry | StoredMark): string => {
    const body = JSON.stringify(value);
    return signer.sign(kind, key, body) + body;
  };
  const entryOf = (key: string, bytes: Buffer, nowMs: number): Found['entry'] => {
    if (bytes.length <= signatureBytes || bytes.length > entryBytesMax) return undefined;
    const body = bytes.subarray(signatureBytes);
    if (!signer.afterTexts(kind, key).verify(body, bytes.subarray(0, signatureBytes))) return undefined;
    const value = JSON.parse(body.toString()) as StoredEntry | StoredMark;
    if ('revokedUntilMs' in value) return value.revokedUntilMs > nowMs ? 'revoked' : undefined;
    return fromStored(value);
  };
  const tries = createTries();
  const read = (hash: string, nowMs: number) => async (): Promise<Found | undefined> => {
    const key = keyOf(hash);
    // Reads no more than the length of the longest entry: a value can have 512 MB.
    const bytes = await redis.getrangeBuffer(key, 0, entryBytesMax).catch(emptyIfWrongType);
    return bytes && { bytes, entry: entryOf(key, bytes, nowMs) };
  };
  /** Redis removes also when it is full. Without an entry, no process accepts the token by Redis alone. */
  const removedIfFull = async (error: Error, key: string): Promise<'removed' | undefined> => {
    if (!error.message.startsWith('OOM')) return undefined;
    return redis.unlink(key).then(
      () => 'removed',
      () => undefined,
    );
  };
  const mark = (hash: string) => (): Promise<'OK' | 'removed' | undefined> => {
    const key = keyOf(hash);
    const value = signed(key, { revokedUntilMs: Date.now() + entryMs });
    return redis.set(key, value, 'PX', entryMs).catch((error: Error) => removedIfFull(error, key));
  };
  const markLater = missingMarks(redis, async (hash) => (await tries.once(mark(hash))) === 'OK');
  return {
    get: (hash, nowMs) => tries.once(read(hash, nowMs)),
    getAgain: (hash, nowMs) => tries.repeated(read(hash, nowMs)),
    put: async (entry, found) => {
      const key = keyOf(entry.record.hash);
      const before = found?.bytes ?? nothing;
      await redis.eval(replace, 1, key, signed(key, toStored(entry)), before, entryBytesMax, entryMs).catch(() => null);
    },
    markRevoked: async (hash) => {
      if ((await tries.repeated(mark(hash))) !== 'OK') markLater(hash);
    },
  };
};

/** Returns a function that repeats a write in the background until Redis takes it. Otherwise a process that loses the log later would accept
 * the token by its entry. What is missing when the process ends, or after the lifetime of a token, is not written. */
const missingMarks = (redis: Redis, write: (hash: string) => Promise<boolean>) => {
  const missing = createCache<string, true>(missingMarksMax, { ttl: entryMs });
  let isRepeating = false;
  const repeat = async (): Promise<void> => {
    isRepeating = true;
    while (missing.size > 0 && redis.status !== 'end') {
      await pause(missingMarksRepeatMs, undefined, { ref: false });
      missing.purgeStale();
      for (const hash of [...missing.keys()]) {
        if (redis.status !== 'ready' || !(await write(hash))) break;
        missing.delete(hash);
      }
    }
    isRepeating = false;
  };
  return (hash: string): void => {
    missing.set(hash, true);
    if (!isRepeating) void repeat();
  };
};

/** A value of another type counts as a response. */
const emptyIfWrongType = (error: Error): Buffer | undefined => (error.message.startsWith('WRONGTYPE') ? nothing : undefined);
