import { consistencyPlan, inclusionPlan, type ProofPlan, proofOf, rootPlan } from '../proofs.ts';
import { createGrowingTree, type Subtree } from '../tree.ts';

/** Keeps all complete subtrees of a tree, as a store does, and computes proofs from them. */
export const keptTree = (leaves: readonly Buffer[]) => {
  const kept = new Map<string, Buffer>();
  const tree = createGrowingTree();
  for (const leaf of leaves) for (const { hash, ...subtree } of tree.append(leaf)) kept.set(keyOf(subtree), hash);
  const hashOf = (subtree: Subtree): Buffer => {
    const hash = kept.get(keyOf(subtree));
    if (hash === undefined) throw new Error(`The subtree ${keyOf(subtree)} is not complete.`);
    return hash;
  };
  const proof = (plan: ProofPlan): readonly Buffer[] => proofOf(plan, plan.flat().map(hashOf));
  return {
    hashOf,
    rootAt: (size: number): Buffer => (size === 0 ? createGrowingTree().root() : (proof(rootPlan(size))[0] as Buffer)),
    inclusion: (index: number, size: number) => proof(inclusionPlan(index, size)),
    consistency: (from: number, to: number) => proof(consistencyPlan(from, to)),
  };
};

const keyOf = ({ level, index }: Subtree): string => `${level}/${index}`;
