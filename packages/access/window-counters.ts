import { hash, randomBytes } from 'node:crypto';
import { entriesOf } from '@waymark/http/limits.ts';
import type { Quota } from '@waymark/http/rate-limit.ts';
import { LRUCache } from 'lru-cache';
import { bucketsOfCounters, countedKeysCached, lockWaitMs, lockWaitsMax, slotsOfBucket } from './limits.ts';

/** The count of a key in its window, and the time until the window ends. */
export type WindowCount = { readonly points: number; readonly msBeforeNext: number };

export const noCount: WindowCount = { points: 0, msBeforeNext: 0 };

/** Counts by key within time windows. The window of a key begins with its first count. */
export type WindowCounters = {
  /** Adds one, and returns the count with it. */
  readonly add: (quota: Quota, key: string) => WindowCount;
  /** Returns the count; `noCount` if no window of the key is open. */
  readonly get: (quota: Quota, key: string) => WindowCount;
};

/** The table that all threads of a process count in. It has a fixed size. */
export type CounterTable = {
  readonly memory: SharedArrayBuffer;
  readonly buckets: number;
  /** Keys the hash that assigns keys to slots, so that nobody can choose keys that share one. */
  readonly secret: string;
};

/** A slot is one 64-bit and three 32-bit numbers; a bucket has a lock besides. */
const slotBytes = 8 + 3 * 4;

export const createCounterTable = (buckets = bucketsOfCounters): CounterTable => ({
  memory: new SharedArrayBuffer(buckets * (slotsOfBucket * slotBytes + 4)),
  buckets,
  secret: randomBytes(32).toString('hex'),
});

/** Where a key is counted: its bucket, and the fingerprint that marks its slot there. */
type Place = { readonly bucket: number; readonly high: number; readonly low: number };

export type WindowCountersOptions = {
  /** By default a table of its own. */
  readonly table?: CounterTable;
  /** The memory of the process. The places of keys that a thread caches take a part of it. */
  readonly memoryBytes?: number;
};

/** Opens a table in one thread. A key is counted in the slot of its bucket that has its fingerprint. If there is none, it takes a slot whose
 * window has ended, or else the slot with the smallest count: a key that is close to its quota is displaced only by keys that are counted as
 * often. */
export const openWindowCounters = (options: WindowCountersOptions = {}): WindowCounters => {
  const { table = createCounterTable(), memoryBytes = Number.POSITIVE_INFINITY } = options;
  const slots = slotsIn(table);
  const places = placesIn(table, entriesOf(countedKeysCached, memoryBytes));
  return {
    add: (quota, key) => {
      const place = places(`${quota.name}:${key}`);
      return slots.locked(place.bucket, () => {
        const nowMs = Date.now();
        const slot = slots.find(place, quota, nowMs) ?? slots.claim(place, quota, nowMs);
        return slots.add(slot, nowMs);
      });
    },
    get: (quota, key) => {
      const place = places(`${quota.name}:${key}`);
      return slots.locked(place.bucket, () => {
        const nowMs = Date.now();
        const slot = slots.find(place, quota, nowMs);
        return slot === undefined ? noCount : slots.read(slot, nowMs);
      });
    },
  };
};

/** Returns a function that finds the place of a key. The last ones are cached: the hash takes longer than the count. */
const placesIn = ({ buckets, secret }: CounterTable, cachedMax: number): ((key: string) => Place) => {
  // Not `max`: with it the library allocates the whole capacity at once.
  const cached = new LRUCache<string, Place>({ maxSize: cachedMax, sizeCalculation: () => 1 });
  return (key) => {
    const known = cached.get(key);
    if (known) return known;
    const digest = hash('sha256', secret + key, 'buffer');
    const place = { bucket: digest.readUInt32LE(0) % buckets, high: digest.readInt32LE(4), low: digest.readInt32LE(8) };
    cached.set(key, place);
    return place;
  };
};

/** The slots of the table. All but `locked` are to be called with the lock of the bucket. */
const slotsIn = ({ memory, buckets }: CounterTable) => {
  const count = buckets * slotsOfBucket;
  const endsMs = new Float64Array(memory, 0, count);
  const highs = new Int32Array(memory, count * 8, count);
  const lows = new Int32Array(memory, count * 12, count);
  const points = new Int32Array(memory, count * 16, count);
  const locks = new Int32Array(memory, count * slotBytes, buckets);

  const acquire = (bucket: number): void => {
    // The lock is held for less than a microsecond, unless the system suspends its thread. A thread that ended cannot release it.
    for (let waits = 0; Atomics.compareExchange(locks, bucket, 0, 1) !== 0 && waits < lockWaitsMax; waits += 1)
      Atomics.wait(locks, bucket, 1, lockWaitMs);
  };
  const read = (slot: number, nowMs: number): WindowCount => ({
    points: points[slot] as number,
    msBeforeNext: (endsMs[slot] as number) - nowMs,
  });
  return {
    locked: <Result>(bucket: number, work: () => Result): Result => {
      acquire(bucket);
      try {
        return work();
      } finally {
        Atomics.store(locks, bucket, 0);
      }
    },
    read,
    add: (slot: number, nowMs: number): WindowCount => {
      points[slot] = (points[slot] as number) + 1;
      return read(slot, nowMs);
    },
    /** Returns the slot of a key whose window is open. A window that ends too late began before the clock was set back. */
    find: ({ bucket, high, low }: Place, { seconds }: Quota, nowMs: number): number | undefined => {
      const first = bucket * slotsOfBucket;
      for (let slot = first; slot < first + slotsOfBucket; slot += 1) {
        const leftMs = (endsMs[slot] as number) - nowMs;
        if (highs[slot] === high && lows[slot] === low && leftMs > 0 && leftMs <= seconds * 1_000) return slot;
      }
      return undefined;
    },
    /** Opens a window for a key, and returns its slot. */
    claim: ({ bucket, high, low }: Place, { seconds }: Quota, nowMs: number): number => {
      const first = bucket * slotsOfBucket;
      const weight = (slot: number): number => ((endsMs[slot] as number) <= nowMs ? 0 : (points[slot] as number));
      let lightest = first;
      for (let slot = first; slot < first + slotsOfBucket; slot += 1) if (weight(slot) < weight(lightest)) lightest = slot;
      endsMs[lightest] = nowMs + seconds * 1_000;
      highs[lightest] = high;
      lows[lightest] = low;
      points[lightest] = 0;
      return lightest;
    },
  };
};
