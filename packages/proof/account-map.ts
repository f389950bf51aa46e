import { canonicalJson } from './canonical-json.ts';
import { leafHash } from './hashes.ts';
import { inclusionPlan, proofOf, verifiesInclusion } from './proofs.ts';
import { createGrowingTree, type Subtree } from './tree.ts';

/** The size and the root of an account's tree. */
export type AccountRoot = { readonly account: string; readonly size: number; readonly root: Buffer };

/** The place of an account in the map of all accounts, and its inclusion proof. */
export type AccountPath = { readonly index: number; readonly path: readonly Buffer[] };

/** The map of all accounts of an installation: a Merkle tree with a leaf for each account, sorted by the UTF-16 units of the account's id.
 * Unlike an account's tree, it does not only grow: there is no consistency proof between two maps. */
export type AccountMap = {
  /** The number of accounts. */
  readonly size: number;
  readonly root: Buffer;
  /** Returns undefined for an account that the map does not have. */
  readonly pathOf: (account: string) => AccountPath | undefined;
};

/** Computes the map of accounts. It takes two hashes for each account. A path takes no hash, except for at most one on each level.
 * @param accounts in any order, each once */
export const createAccountMap = (accounts: Iterable<AccountRoot>): AccountMap => {
  const sorted = [...accounts].sort((one, other) => (one.account < other.account ? -1 : 1));
  const indices = new Map(sorted.map(({ account }, index) => [account, index]));
  const hashes = new Map<string, Buffer>();
  const tree = createGrowingTree();
  for (const account of sorted) for (const { hash, ...subtree } of tree.append(accountLeaf(account))) hashes.set(keyOf(subtree), hash);
  const hashOf = (subtree: Subtree): Buffer => {
    const hash = hashes.get(keyOf(subtree));
    if (hash === undefined) throw new RangeError(`The map of accounts has no subtree ${keyOf(subtree)}.`);
    return hash;
  };
  return {
    size: sorted.length,
    root: tree.root(),
    pathOf: (account) => {
      const index = indices.get(account);
      if (index === undefined) return undefined;
      const plan = inclusionPlan(index, sorted.length);
      return { index, path: proofOf(plan, plan.flat().map(hashOf)) };
    },
  };
};

/** Returns whether the map of this size and root has the account with this size and root. */
export const verifiesAccount = (
  account: AccountRoot,
  { index, path }: AccountPath,
  map: { readonly size: number; readonly root: Buffer },
): boolean => verifiesInclusion({ leaf: accountLeaf(account), index, size: map.size, root: map.root, proof: path });

/** Returns the hash of an account's leaf in the map. */
export const accountLeaf = ({ account, size, root }: AccountRoot): Buffer =>
  leafHash(canonicalJson([account, size, root.toString('base64')]));

const keyOf = ({ level, index }: Subtree): string => `${level}/${index}`;
