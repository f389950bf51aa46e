import { slotsOfBucket } from '../limits.ts';
import { createKnownKeysTable, openKnownKeys } from './known-keys.ts';

describe('known keys', () => {
  it('are those that were added and not removed, for all that open the table', () => {
    const table = structuredClone(createKnownKeysTable());
    const [here, there] = [openKnownKeys(table), openKnownKeys(table)];
    expect(here.has('a')).toBe(false);
    here.add('a');
    there.add('b');
    expect([there.has('a'), here.has('b'), here.has('c')]).toEqual([true, true, false]);
    there.remove('a');
    there.remove('c');
    expect([here.has('a'), here.has('b')]).toEqual([false, true]);
  });

  it('are not displaced by keys that are only looked for', () => {
    const known = openKnownKeys();
    known.add('a');
    for (let nth = 0; nth < 20_000; nth += 1) {
      expect(known.has(`guess-${nth}`)).toBe(false);
      known.remove(`guess-${nth}`);
    }
    expect(known.has('a')).toBe(true);
  });

  it('are displaced in the order in which they were added to a full bucket', () => {
    const known = openKnownKeys(createKnownKeysTable(1));
    const keys = Array.from({ length: slotsOfBucket + 2 }, (_, nth) => `key-${nth}`);
    for (const key of keys.slice(0, slotsOfBucket)) for (let time = 0; time < 3; time += 1) known.add(key);
    expect(keys.filter(known.has)).toEqual(keys.slice(0, slotsOfBucket));
    for (const key of keys.slice(slotsOfBucket)) known.add(key);
    expect(keys.filter(known.has)).toEqual(keys.slice(2));
  });

  // With 5,000 keys, the chance that one of the 512 buckets gets more than its 32 is 1 in a million.
  it('are 5,000 at least', () => {
    const known = openKnownKeys();
    const keys = Array.from({ length: 5_000 }, (_, nth) => `key-${nth}`);
    for (const key of keys) known.add(key);
    expect(keys.filter((key) => !known.has(key))).toEqual([]);
  });

  it('are in the memory only as fingerprints', () => {
    const table = createKnownKeysTable(1);
    const before = Buffer.from(table.memory.slice(0));
    openKnownKeys(table).add('bearer:Bearer clear-text');
    const after = Buffer.from(table.memory.slice(0));
    expect(after.equals(before)).toBe(false);
    expect(after.includes('clear')).toBe(false);
  });
});
