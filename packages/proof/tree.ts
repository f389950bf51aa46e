import { emptyRoot, nodeHash } from './hashes.ts';

/** A complete subtree of a Merkle tree (RFC 6962): the 2^level leaves from index * 2^level on. Its hash never changes, so a store can keep it
 * by level and index. Level 0 has the leaves. */
export type Subtree = { readonly level: number; readonly index: number };

/** The leaves from one index up to, but not including, another. */
export type LeafRange = { readonly from: number; readonly to: number };

/** Returns the complete subtrees that a range consists of, from left to right: at most one for each level of the tree.
 * @param from a multiple of a power of two that is at least as large as the range, as in every range of a proof */
export const subtreesOf = ({ from, to }: LeafRange): readonly Subtree[] => {
  const subtrees: Subtree[] = [];
  for (let at = from; at < to; ) {
    const level = exponentOf(to - at);
    subtrees.push({ level, index: at / 2 ** level });
    at += 2 ** level;
  }
  return subtrees;
};

/** Returns the exponent of the largest power of two that is not above a number: exact, which `Math.log2` is not for large numbers. */
export const exponentOf = (count: number): number => count.toString(2).length - 1;

/** Returns the hash of a range of leaves.
 * @param hashes of its complete subtrees, at least one, in the order of `subtreesOf` */
export const hashOfSubtrees = (hashes: readonly Buffer[]): Buffer => hashes.reduceRight((right, left) => nodeHash(left, right));

/** A subtree that is complete from now on, with its hash. */
export type CompleteSubtree = Subtree & { readonly hash: Buffer };

/** The state of a tree that only grows: its size, and the hashes of the complete subtrees that it consists of, from left to right. */
export type TreeState = { readonly size: number; readonly hashes: readonly Buffer[] };

/** A tree that only grows, in memory of O(log n). */
export type GrowingTree = {
  /** Adds a leaf. Returns the subtrees that are complete by it, from the leaf upwards: two on average. */
  readonly append: (leaf: Buffer) => readonly CompleteSubtree[];
  readonly size: () => number;
  readonly root: () => Buffer;
  /** Returns what `createGrowingTree` needs to continue later. */
  readonly state: () => TreeState;
};

/** Creates a tree, or continues one. */
export const createGrowingTree = (from: TreeState = { size: 0, hashes: [] }): GrowingTree => {
  let { size } = from;
  const hashes = [...from.hashes];
  return {
    append: (leaf) => {
      const complete: CompleteSubtree[] = [{ level: 0, index: size, hash: leaf }];
      let top: CompleteSubtree = { level: 0, index: size, hash: leaf };
      for (let left = leftOf(top, hashes); left !== undefined; left = leftOf(top, hashes)) {
        top = { level: top.level + 1, index: (top.index - 1) / 2, hash: nodeHash(left, top.hash) };
        complete.push(top);
      }
      hashes.push(top.hash);
      size += 1;
      return complete;
    },
    size: () => size,
    root: () => (size === 0 ? emptyRoot : hashOfSubtrees(hashes)),
    state: () => ({ size, hashes: [...hashes] }),
  };
};

/** Takes the hash of the subtree to the left of a right child; undefined for a left child. */
const leftOf = ({ index }: Subtree, hashes: Buffer[]): Buffer | undefined => (index % 2 === 1 ? hashes.pop() : undefined);
