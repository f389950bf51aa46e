import { bucketsOfKnownKeys, slotsOfBucket } from '../limits.ts';
import { type BucketTable, createBucketTable, firstSlot, openBuckets } from './buckets.ts';

/** A set of keys that all threads of a process know. It holds fingerprints of the keys, never the keys. */
export type KnownKeys = {
  readonly has: (key: string) => boolean;
  /** Adds a key. The set has room for the last `slotsOfBucket` keys of each bucket: a further one replaces the oldest. */
  readonly add: (key: string) => void;
  readonly remove: (key: string) => void;
};

export type KnownKeysTable = BucketTable;

/** A bucket has the number of keys that were added to it. These numbers come first. */
export const createKnownKeysTable = (buckets = bucketsOfKnownKeys): KnownKeysTable => createBucketTable(buckets, buckets * 4);

/** The fingerprint of an empty slot. The chance that a key has it is 1 in 2^64, as for the fingerprint of any other slot. */
const empty = { high: 0, low: 0 };

/** Opens a table in one thread; by default a table of its own. */
export const openKnownKeys = (table = createKnownKeysTable()): KnownKeys => {
  const buckets = openBuckets(table);
  const added = new Uint32Array(table.memory, 0, table.buckets);
  const any = (): boolean => true;
  return {
    has: (key) => {
      const place = buckets.place(key);
      return buckets.locked(place, () => buckets.find(place, any) !== undefined);
    },
    add: (key) => {
      const place = buckets.place(key);
      buckets.locked(place, () => {
        if (buckets.find(place, any) !== undefined) return;
        const nth = added[place.bucket] as number;
        buckets.mark(firstSlot(place) + (nth % slotsOfBucket), place);
        added[place.bucket] = nth + 1;
      });
    },
    remove: (key) => {
      const place = buckets.place(key);
      buckets.locked(place, () => {
        const slot = buckets.find(place, any);
        if (slot !== undefined) buckets.mark(slot, { ...empty, bucket: place.bucket });
      });
    },
  };
};
