import { eventLeaf } from '@waymark/proof/leaf.ts';
import { consistencyPlan, inclusionPlan, type ProofPlan, rootPlan } from '@waymark/proof/proofs.ts';
import { createGrowingTree } from '@waymark/proof/tree.ts';
import fc from 'fast-check';
import { ProofsUnavailable, type TileKey, tileLevels, tileNodes } from './proof-store.ts';
import { readHashes, tilesMax } from './subtree-hashes.ts';
import { eventsOf } from './testing/events.ts';

/** Reads tiles that are all full, and collects what was read. */
const fullTiles = () => {
  const reads: (readonly TileKey[])[] = [];
  return {
    reads,
    tiles: async (_account: string, keys: readonly TileKey[]) => {
      reads.push(keys);
      return keys.map(() => Buffer.alloc(tileNodes * 32, 1));
    },
  };
};

describe('the hashes of subtrees', () => {
  const million = 1_000_000;
  const plans: readonly (readonly [string, fc.Arbitrary<ProofPlan>])[] = [
    ['an inclusion proof', fc.nat(million - 1).map((index) => inclusionPlan(index, million))],
    ['a consistency proof', fc.integer({ min: 1, max: million }).map((from) => consistencyPlan(from, million))],
    ['a root', fc.integer({ min: 1, max: million }).map(rootPlan)],
  ];
  it.each(plans)('are read at once, from at most eight tiles, for %s of a million events', async (_, plan) => {
    const property = fc.asyncProperty(plan, async (one) => {
      const { reads, tiles } = fullTiles();
      expect(await readHashes({ tiles }, 'a', one.flat())).toHaveLength(one.flat().length);
      expect(reads.length).toBeLessThanOrEqual(1);
      expect(reads.flat().length).toBeLessThanOrEqual(8);
      for (const { level } of reads.flat()) expect(level % tileLevels).toBe(0);
    });
    await fc.assert(property, { numRuns: 200 });
  });

  it('are those of the tree on every level, stored or not', async () => {
    const tree = createGrowingTree();
    const stored = new Map<string, Buffer[]>();
    const all = eventsOf(Array.from({ length: 5_000 }, () => 1)).flatMap((event) => tree.append(eventLeaf(event)));
    for (const { level, index, hash } of all) {
      const key = `${level} ${Math.floor(index / tileNodes)}`;
      if (level % tileLevels === 0) stored.set(key, [...(stored.get(key) ?? []), hash]);
    }
    const tiles = async (_account: string, keys: readonly TileKey[]) =>
      keys.map(({ level, index }) => {
        const hashes = stored.get(`${level} ${index}`);
        return hashes && Buffer.concat(hashes);
      });
    const some = all.filter(({ level }, nth) => level > 3 || (level > 0 && nth % 7 === 0));
    expect(some.map(({ level }) => level)).toEqual(expect.arrayContaining([1, 5, 6, 7, 11]));
    for (let from = 0; from < some.length; from += 500) {
      const part = some.slice(from, from + 500);
      expect(await readHashes({ tiles }, 'a', part)).toEqual(part.map(({ hash }) => hash));
    }
  });

  it('are unavailable if a tile lacks them', async () => {
    const tiles = async () => [Buffer.alloc(32)];
    await expect(readHashes({ tiles }, 'a', [{ level: 0, index: 1 }])).rejects.toThrow(ProofsUnavailable);
  });

  it('are not read from too many tiles at once', async () => {
    const many = Array.from({ length: tilesMax + 1 }, (_, nth) => ({ level: 0, index: nth * tileNodes }));
    await expect(readHashes(fullTiles(), 'a', many)).rejects.toThrow(RangeError);
  });
});
