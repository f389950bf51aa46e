import { hash, randomBytes } from 'node:crypto';
import { createCache } from '@waymark/caches/cache.ts';
import { lockTriesMax, lockWaitMs, lockWaitsMax, slotsOfBucket } from '../limits.ts';

/** A table of fixed size in memory that all threads of a process share. It is plain data, which can be sent to a thread. */
export type BucketTable = {
  /** First what a kind of table keeps of its own, then the fingerprints of all slots, then the locks of the buckets. */
  readonly memory: SharedArrayBuffer;
  readonly buckets: number;
  /** Keys the hash that assigns keys to places, so that nobody can choose keys that share one. */
  readonly secret: string;
};

/** Where the slot of a key is: its bucket, and the fingerprint that marks the slot there. The table never contains a key. */
export type Place = { readonly bucket: number; readonly high: number; readonly low: number };

/** A table as one thread uses it. `find` and `mark` are to be called with the lock of the bucket. */
export type Buckets = {
  readonly place: (key: string) => Place;
  /** Runs `work` with the lock of the bucket. `work` must not lock another one. */
  readonly locked: <Result>(place: Place, work: () => Result) => Result;
  /** Returns the slot that has the fingerprint and for which `isInUse` returns true. */
  readonly find: (place: Place, isInUse: (slot: number) => boolean) => number | undefined;
  /** Gives a slot the fingerprint of a place. */
  readonly mark: (slot: number, place: Place) => void;
};

/** A fingerprint is two 32-bit numbers, and a lock is one. */
const bucketBytes = slotsOfBucket * 2 * 4 + 4;

/** @param ownBytes the size of what the table keeps of its own: a multiple of four */
export const createBucketTable = (buckets: number, ownBytes: number): BucketTable => ({
  memory: new SharedArrayBuffer(ownBytes + buckets * bucketBytes),
  buckets,
  secret: randomBytes(32).toString('hex'),
});

/** Returns the first slot of a bucket. The others follow it. */
export const firstSlot = ({ bucket }: Place): number => bucket * slotsOfBucket;

/** Opens a table in one thread.
 * @param placesCached the number of keys whose place is cached */
export const openBuckets = (table: BucketTable, placesCached = 0): Buckets => {
  const { memory, buckets } = table;
  const slots = buckets * slotsOfBucket;
  const start = memory.byteLength - buckets * bucketBytes;
  const highs = new Int32Array(memory, start, slots);
  const lows = new Int32Array(memory, start + slots * 4, slots);
  const locks = new Int32Array(memory, start + slots * 8, buckets);

  const acquire = (bucket: number): void => {
    // The lock is held for less than a microsecond, unless the system suspends its thread. A thread that ended cannot release it.
    for (let tries = 0; Atomics.compareExchange(locks, bucket, 0, 1) !== 0 && tries < lockTriesMax + lockWaitsMax; tries += 1)
      if (tries >= lockTriesMax) Atomics.wait(locks, bucket, 1, lockWaitMs);
  };
  return {
    place: placesCached === 0 ? placesIn(table) : cached(placesIn(table), placesCached),
    locked: ({ bucket }, work) => {
      acquire(bucket);
      try {
        return work();
      } finally {
        Atomics.store(locks, bucket, 0);
      }
    },
    find: (place, isInUse) => {
      const first = firstSlot(place);
      for (let slot = first; slot < first + slotsOfBucket; slot += 1)
        if (highs[slot] === place.high && lows[slot] === place.low && isInUse(slot)) return slot;
      return undefined;
    },
    mark: (slot, { high, low }) => {
      highs[slot] = high;
      lows[slot] = low;
    },
  };
};

const placesIn =
  ({ buckets, secret }: BucketTable) =>
  (key: string): Place => {
    const digest = hash('sha256', secret + key, 'buffer');
    return { bucket: digest.readUInt32LE(0) % buckets, high: digest.readInt32LE(4), low: digest.readInt32LE(8) };
  };

/** Caches the places of the last keys: the hash takes longer than the work in the table. */
const cached = (placeOf: (key: string) => Place, max: number): ((key: string) => Place) => {
  const places = createCache<string, Place>(max);
  return (key) => {
    const known = places.get(key);
    if (known) return known;
    const place = placeOf(key);
    places.set(key, place);
    return place;
  };
};
