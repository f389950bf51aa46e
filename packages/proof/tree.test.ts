import fc from 'fast-check';
import { leafHash } from './hashes.ts';
import { publishedLeaves, publishedRoots } from './testing/published-tree.ts';
import { createGrowingTree, subtreesOf } from './tree.ts';

const leaves = publishedLeaves.map((data) => leafHash(Buffer.from(data, 'hex')));

describe('a growing tree', () => {
  it('has the published roots', () => {
    const tree = createGrowingTree();
    const roots = [tree.root()];
    for (const leaf of leaves) {
      tree.append(leaf);
      roots.push(tree.root());
    }
    expect(roots.map((root) => root.toString('hex'))).toEqual(publishedRoots);
  });

  it('continues from its state as if it had never stopped', () => {
    for (let stop = 0; stop <= leaves.length; stop += 1) {
      const before = createGrowingTree();
      for (const leaf of leaves.slice(0, stop)) before.append(leaf);
      const after = createGrowingTree(before.state());
      for (const leaf of leaves.slice(stop)) after.append(leaf);
      expect([after.size(), after.root().toString('hex')]).toEqual([8, publishedRoots.at(-1)]);
    }
  });

  it('returns each subtree once, when its last leaf comes', () => {
    const tree = createGrowingTree();
    const complete = leaves.map((leaf) => tree.append(leaf).map(({ level, index }) => [level, index]));
    expect(complete.slice(0, 4)).toEqual([
      [[0, 0]],
      [
        [0, 1],
        [1, 0],
      ],
      [[0, 2]],
      [
        [0, 3],
        [1, 1],
        [2, 0],
      ],
    ]);
    expect(complete.flat()).toHaveLength(8 + 4 + 2 + 1);
  });
});

describe('the subtrees of a range', () => {
  it('cover it from left to right, each smaller than the one before, also in the largest trees', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (to) => {
        const subtrees = subtreesOf({ from: 0, to });
        let at = 0;
        for (const { level, index } of subtrees) {
          expect(index * 2 ** level).toBe(at);
          at += 2 ** level;
        }
        expect(at).toBe(to);
        expect(subtrees.length).toBeLessThanOrEqual(53);
      }),
    );
  });
});
