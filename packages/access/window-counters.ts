import { type Buckets, type BucketTable, createBucketTable, firstSlot, openBuckets, type Place } from '@waymark/http/counters/buckets.ts';
import { entriesOf } from '@waymark/http/limits.ts';
import type { Quota } from '@waymark/http/rate-limit.ts';
import { bucketsOfCounters, countedKeysCached, slotsOfBucket } from './limits.ts';

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

/** The table that all threads of a process count in. */
export type CounterTable = BucketTable;

/** A slot has the end of its window (64 bits) and its count (32 bits) besides its fingerprint. */
export const createCounterTable = (buckets = bucketsOfCounters): CounterTable =>
  createBucketTable(buckets, buckets * slotsOfBucket * (8 + 4));

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
  const buckets = openBuckets(table, entriesOf(countedKeysCached, memoryBytes));
  const windows = windowsIn(table, buckets);
  return {
    add: (quota, key) => {
      const place = buckets.place(`${quota.name}:${key}`);
      return buckets.locked(place, () => {
        const nowMs = Date.now();
        const slot = windows.find(place, quota, nowMs) ?? windows.claim(place, quota, nowMs);
        return windows.add(slot, nowMs);
      });
    },
    get: (quota, key) => {
      const place = buckets.place(`${quota.name}:${key}`);
      return buckets.locked(place, () => {
        const nowMs = Date.now();
        const slot = windows.find(place, quota, nowMs);
        return slot === undefined ? noCount : windows.read(slot, nowMs);
      });
    },
  };
};

/** The windows in the slots of the table. To be called with the lock of the bucket. */
const windowsIn = (table: CounterTable, buckets: Buckets) => {
  const slots = table.buckets * slotsOfBucket;
  const endsMs = new Float64Array(table.memory, 0, slots);
  const points = new Int32Array(table.memory, slots * 8, slots);

  const read = (slot: number, nowMs: number): WindowCount => ({
    points: points[slot] as number,
    msBeforeNext: (endsMs[slot] as number) - nowMs,
  });
  return {
    read,
    add: (slot: number, nowMs: number): WindowCount => {
      points[slot] = (points[slot] as number) + 1;
      return read(slot, nowMs);
    },
    /** Returns the slot of a key whose window is open. A window that ends too late began before the clock was set back. */
    find: (place: Place, { seconds }: Quota, nowMs: number): number | undefined =>
      buckets.find(place, (slot) => {
        const leftMs = (endsMs[slot] as number) - nowMs;
        return leftMs > 0 && leftMs <= seconds * 1_000;
      }),
    /** Opens a window for a key, and returns its slot. */
    claim: (place: Place, { seconds }: Quota, nowMs: number): number => {
      const first = firstSlot(place);
      const weight = (slot: number): number => ((endsMs[slot] as number) <= nowMs ? 0 : (points[slot] as number));
      let lightest = first;
      for (let slot = first; slot < first + slotsOfBucket; slot += 1) if (weight(slot) < weight(lightest)) lightest = slot;
      endsMs[lightest] = nowMs + seconds * 1_000;
      points[lightest] = 0;
      buckets.mark(lightest, place);
      return lightest;
    },
  };
};
