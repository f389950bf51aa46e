import fc from 'fast-check';
import { leafHash } from './hashes.ts';
import { rangePlan, rootWithRange } from './range-root.ts';
import { keptTree } from './testing/kept-tree.ts';

describe('the root of a tree, computed from a range of leaves', () => {
  const ranges = fc.tuple(fc.integer({ min: 1, max: 300 }), fc.nat(), fc.nat()).map(([size, one, other]) => {
    const from = one % size;
    return { size, range: { from, to: from + 1 + (other % (size - from)) } };
  });
  const hashes = Array.from({ length: 300 }, (_, nth) => leafHash(`${nth}`));

  it('is that of the tree', () => {
    fc.assert(
      fc.property(ranges, ({ size, range }) => {
        const leaves = hashes.slice(0, size);
        const tree = keptTree(leaves);
        const beside = rangePlan(range, size).map(tree.hashOf);
        expect(rootWithRange(range, size, leaves.slice(range.from, range.to), beside)).toEqual(tree.rootAt(size));
      }),
    );
  });

  it('is another one if one of the leaves is another one', () => {
    fc.assert(
      fc.property(ranges, fc.nat(), ({ size, range }, nth) => {
        const leaves = hashes.slice(0, size);
        const tree = keptTree(leaves);
        const beside = rangePlan(range, size).map(tree.hashOf);
        const changed = leaves.slice(range.from, range.to).with(nth % (range.to - range.from), leafHash('another'));
        expect(rootWithRange(range, size, changed, beside)).not.toEqual(tree.rootAt(size));
      }),
    );
  });

  it('needs few subtrees', () => {
    expect(rangePlan({ from: 500_000, to: 500_256 }, 1_000_000).length).toBeLessThanOrEqual(40);
  });
});
