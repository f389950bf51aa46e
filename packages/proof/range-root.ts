import { nodeHash } from './hashes.ts';
import { childrenOf } from './proofs.ts';
import { createGrowingTree, hashOfSubtrees, type LeafRange, type Subtree, subtreesOf } from './tree.ts';

/** Returns which subtrees the root of a tree needs beside a range of leaves: at most two for each level of the tree.
 * @param range not empty, within the tree
 * @param size of the tree */
export const rangePlan = (range: LeafRange, size: number): readonly Subtree[] => {
  const plan: Subtree[] = [];
  walk<void>({ from: 0, to: size }, range, {
    within: () => undefined,
    beside: (node) => void plan.push(...subtreesOf(node)),
    above: (left, right) => {
      left();
      right();
    },
  });
  return plan;
};

/** Returns the root of a tree, computed from a range of its leaves.
 * @param leaves those of the range
 * @param hashes of the subtrees in `rangePlan`, in the same order */
export const rootWithRange = (range: LeafRange, size: number, leaves: readonly Buffer[], hashes: readonly Buffer[]): Buffer => {
  let used = 0;
  return walk<Buffer>({ from: 0, to: size }, range, {
    within: ({ from, to }) => {
      const tree = createGrowingTree();
      for (const leaf of leaves.slice(from - range.from, to - range.from)) tree.append(leaf);
      return tree.root();
    },
    beside: (node) => {
      const count = subtreesOf(node).length;
      used += count;
      return hashOfSubtrees(hashes.slice(used - count, used));
    },
    above: (left, right) => nodeHash(left(), right()),
  });
};

type Visit<Value> = {
  /** A node all of whose leaves are in the range. */
  readonly within: (node: LeafRange) => Value;
  /** A node none of whose leaves is in the range. */
  readonly beside: (node: LeafRange) => Value;
  readonly above: (left: () => Value, right: () => Value) => Value;
};

const walk = <Value>(node: LeafRange, range: LeafRange, visit: Visit<Value>): Value => {
  if (node.to <= range.from || node.from >= range.to) return visit.beside(node);
  if (node.from >= range.from && node.to <= range.to) return visit.within(node);
  const [left, right] = childrenOf(node);
  return visit.above(
    () => walk(left, range, visit),
    () => walk(right, range, visit),
  );
};
