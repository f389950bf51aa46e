import { nodeHash } from './hashes.ts';
import { exponentOf, hashOfSubtrees, type LeafRange, type Subtree, subtreesOf } from './tree.ts';

/** The complete subtrees from which each hash of a proof is computed. A store reads the hashes of all of them (`plan.flat()`) at once: at most
 * two for each level of the tree. */
export type ProofPlan = readonly (readonly Subtree[])[];

/** Returns which subtrees the root of a tree of a size needs. */
export const rootPlan = (size: number): ProofPlan => [subtreesOf({ from: 0, to: size })];

/** Returns which subtrees an inclusion proof needs (RFC 6962, 2.1.1).
 * @param index of the leaf, below `size` */
export const inclusionPlan = (index: number, size: number): ProofPlan => inclusionRanges(index, size).map(subtreesOf);

/** Returns which subtrees a consistency proof needs (RFC 6962, 2.1.2).
 * @param from the earlier size: at least 1, at most `to` */
export const consistencyPlan = (from: number, to: number): ProofPlan => consistencyRanges(from, to).map(subtreesOf);

/** Returns the hashes of a proof.
 * @param hashes of the subtrees in `plan.flat()`, in the same order */
export const proofOf = (plan: ProofPlan, hashes: readonly Buffer[]): readonly Buffer[] => {
  let at = 0;
  return plan.map((subtrees) => {
    at += subtrees.length;
    return hashOfSubtrees(hashes.slice(at - subtrees.length, at));
  });
};

export type InclusionProof = {
  readonly leaf: Buffer;
  readonly index: number;
  readonly size: number;
  readonly root: Buffer;
  readonly proof: readonly Buffer[];
};

/** Returns whether a proof shows that the tree of this size and root has the leaf at this index. */
export const verifiesInclusion = ({ leaf, index, size, root, proof }: InclusionProof): boolean => {
  if (!isSize(size) || !Number.isSafeInteger(index) || index < 0 || index >= size) return false;
  const ranges = inclusionRanges(index, size);
  if (ranges.length !== proof.length) return false;
  let computed = leaf;
  for (const [nth, hash] of proof.entries()) {
    computed = (ranges[nth]?.from ?? 0) > index ? nodeHash(computed, hash) : nodeHash(hash, computed);
  }
  return computed.equals(root);
};

type SizedRoot = { readonly size: number; readonly root: Buffer };

/** Returns whether a proof shows that the first leaves of a tree are those of an earlier tree.
 * @param earlier has at least one leaf */
export const verifiesConsistency = (earlier: SizedRoot, later: SizedRoot, proof: readonly Buffer[]): boolean => {
  if (!isSize(earlier.size) || !isSize(later.size) || earlier.size < 1 || earlier.size > later.size) return false;
  const ranges = consistencyRanges(earlier.size, later.size);
  if (ranges.length !== proof.length) return false;
  // Where the earlier tree is itself a subtree of the later one, its root is the first hash.
  const steps = ranges.map((range, nth) => ({ range, hash: proof[nth] ?? earlier.root }));
  const isSubtree = ranges.every(({ from }) => from >= earlier.size);
  const first = isSubtree ? earlier.root : (steps.shift()?.hash ?? earlier.root);
  let [before, after] = [first, first];
  for (const { range, hash } of steps) {
    if (range.from >= earlier.size) after = nodeHash(after, hash);
    else [before, after] = [nodeHash(hash, before), nodeHash(hash, after)];
  }
  return before.equals(earlier.root) && after.equals(later.root);
};

const isSize = (size: number): boolean => Number.isSafeInteger(size) && size >= 0;

/** Returns the ranges of the two children of a node over several leaves: the left one has the most leaves that are a power of two. */
export const childrenOf = ({ from, to }: LeafRange): readonly [left: LeafRange, right: LeafRange] => {
  const middle = from + 2 ** exponentOf(to - from - 1);
  return [
    { from, to: middle },
    { from: middle, to },
  ];
};

/** Returns the ranges of an inclusion proof: the siblings of the leaf and of each node above it, upwards. */
const inclusionRanges = (index: number, size: number): readonly LeafRange[] => {
  const siblings: LeafRange[] = [];
  let node: LeafRange = { from: 0, to: size };
  while (node.to - node.from > 1) {
    const [left, right] = childrenOf(node);
    siblings.push(index < left.to ? right : left);
    node = index < left.to ? left : right;
  }
  return siblings.reverse();
};

/** Returns the ranges of a consistency proof, upwards: the last subtree of the earlier tree, unless that tree is one itself, and the siblings
 * of it and of each node above it. */
const consistencyRanges = (from: number, to: number): readonly LeafRange[] => {
  const ranges: LeafRange[] = [];
  let node: LeafRange = { from: 0, to };
  while (node.to > from) {
    const [left, right] = childrenOf(node);
    ranges.push(from <= left.to ? right : left);
    node = from <= left.to ? left : right;
  }
  if (node.from > 0) ranges.push(node);
  return ranges.reverse();
};
