import { amountKeysCached, bucketsOfAmounts, entriesOf, slotsOfBucket } from '../limits.ts';
import { type BucketTable, createBucketTable, firstSlot, openBuckets, type Place } from './buckets.ts';

/** Returns the next value of an amount, or undefined if the amount must not change. It is called under a lock, or again if another thread
 * was first: it must be quick, and must not lock anything. */
export type Step = (amount: number) => number | undefined;

/** An amount that all threads of a process change. */
export type Total = {
  readonly value: () => number;
  /** Returns false if the step refused. */
  readonly change: (step: Step) => boolean;
};

/** The totals of a process: its connections, its responses that stay open, and the bytes that are taken of each budget. */
export type Totals = Readonly<Record<(typeof totalNames)[number], Total>>;

const totalNames = ['connections', 'streams', 'files', 'plain', 'forms', 'responses'] as const;

/** What is open at the moment in all threads of a process, by key and in total: connections, requests in progress, bytes in flight. An amount
 * is an integer up to `amountMax`. */
export type OpenAmounts = {
  readonly totals: Totals;
  /** Changes the amount of a key, which is 0 at first. Returns false if the step refused, or if the table has no room for the key. */
  readonly change: (key: string, step: Step) => boolean;
};

export const oneMore =
  (max: number): Step =>
  (amount) =>
    amount < max ? amount + 1 : undefined;

export const oneLess: Step = (amount) => amount - 1;

export type AmountTable = BucketTable;

/** A slot has its amount besides its fingerprint. The totals come first. */
export const createAmountTable = (buckets = bucketsOfAmounts): AmountTable =>
  createBucketTable(buckets, totalNames.length * 4 + buckets * slotsOfBucket * 4);

export type OpenAmountsOptions = {
  /** By default a table of its own. */
  readonly table?: AmountTable;
  /** The memory of the process. The places of keys that a thread caches take a part of it. */
  readonly memoryBytes?: number;
};

/** Opens a table in one thread. A key has a slot while its amount is not 0. */
export const openAmounts = ({
  table = createAmountTable(),
  memoryBytes = Number.POSITIVE_INFINITY,
}: OpenAmountsOptions = {}): OpenAmounts => {
  const buckets = openBuckets(table, entriesOf(amountKeysCached, memoryBytes));
  const amounts = new Int32Array(table.memory, totalNames.length * 4, table.buckets * slotsOfBucket);
  const isInUse = (slot: number): boolean => amounts[slot] !== 0;

  const freeSlot = (place: Place): number | undefined => {
    const first = firstSlot(place);
    for (let slot = first; slot < first + slotsOfBucket; slot += 1) if (!isInUse(slot)) return slot;
    return undefined;
  };
  const totalAt = (index: number): Total => totalIn(new Int32Array(table.memory, index * 4, 1));
  return {
    totals: Object.fromEntries(totalNames.map((name, index) => [name, totalAt(index)])) as Totals,
    change: (key, step) => {
      const place = buckets.place(key);
      return buckets.locked(place, () => {
        const slot = buckets.find(place, isInUse) ?? freeSlot(place);
        if (slot === undefined) return false;
        const next = step(amounts[slot] as number);
        if (next === undefined) return false;
        amounts[slot] = next;
        buckets.mark(slot, place);
        return true;
      });
    },
  };
};

/** Creates a total that no other thread changes. */
export const createTotal = (): Total => totalIn(new Int32Array(1));

/** Returns the total that is the first number of some memory. */
const totalIn = (memory: Int32Array): Total => ({
  value: () => Atomics.load(memory, 0),
  change: (step) => {
    for (;;) {
      const value = Atomics.load(memory, 0);
      const next = step(value);
      if (next === undefined) return false;
      if (Atomics.compareExchange(memory, 0, value, next) === value) return true;
    }
  },
});
