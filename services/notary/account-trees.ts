import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventWithoutContent } from '@waymark/domain/event.ts';
import { type AccountRoot, accountLeaf } from '@waymark/proof/account-map.ts';
import { eventLeaf } from '@waymark/proof/leaf.ts';
import { type CompleteSubtree, createGrowingTree, type GrowingTree } from '@waymark/proof/tree.ts';
import { accountsAtOnce } from './limits.ts';

/** The place of a leaf in the tree of its account, and the subtrees that it completes. */
export type Placed = { readonly account: string; readonly index: number; readonly complete: readonly CompleteSubtree[] };

/** Size and root of the map of all accounts. */
export type MapRoot = { readonly size: number; readonly root: Buffer };

/** The trees of all accounts, in memory: O(log n) for each account. */
export type AccountTrees = {
  /** Adds an event of an aggregate's stream to the tree of its account. */
  readonly add: (event: EventWithoutContent) => Placed;
  /** Returns the number of leaves of all trees. */
  readonly leaves: () => number;
  readonly hasGrown: () => boolean;
  /** Returns the roots of the accounts that have grown since the last call, and counts them as not grown from now on. */
  readonly takeGrown: () => Promise<readonly AccountRoot[]>;
  /** Returns the roots of all accounts. */
  readonly roots: () => Promise<readonly AccountRoot[]>;
  readonly mapRoot: () => Promise<MapRoot>;
  /** Returns the first account that does not have the tree that it is known to have, and what it has; undefined where all have it. */
  readonly contradiction: () => Contradiction | undefined;
  /** Returns what `createAccountTrees` needs to continue later. */
  readonly kept: () => readonly KeptTree[];
};

/** The state of an account's tree. `hashes`: those of its `TreeState`, one after the other. */
export type KeptTree = { readonly account: string; readonly size: number; readonly hashes: Uint8Array };

export type Contradiction = { readonly account: string; readonly is: 'smaller' | 'different' };

type Tree = GrowingTree & { known: AccountRoot | undefined; mapLeaf: Buffer | undefined };

/** Creates trees without leaves, or continues some.
 * @param known size and root that accounts had when the last checkpoint was signed: they are compared with the trees of that size */
export const createAccountTrees = (known: readonly AccountRoot[], kept: readonly KeptTree[] = []): AccountTrees => {
  const trees = new Map<string, Tree>(kept.map((tree) => [tree.account, continued(tree)]));
  const expected = new Map(known.map((root) => [root.account, root]));
  const grown = new Set<string>();
  let different: string | undefined;
  let leaves = kept.reduce((sum, { size }) => sum + size, 0);

  const treeOf = (account: string): Tree => {
    const found = trees.get(account);
    if (found !== undefined) return found;
    const tree = { ...createGrowingTree(), known: expected.get(account), mapLeaf: undefined };
    trees.set(account, tree);
    return tree;
  };
  const rootOf = (account: string, tree: Tree): AccountRoot => ({ account, size: tree.size(), root: tree.root() });
  const compare = (tree: Tree, { account, root }: AccountRoot): void => {
    if (!tree.root().equals(root)) different ??= account;
    expected.delete(account);
    tree.known = undefined;
  };
  return {
    add: (event) => {
      const { account } = event.envelope;
      const tree = treeOf(account);
      const index = tree.size();
      const complete = tree.append(eventLeaf(event));
      tree.mapLeaf = undefined;
      if (tree.known?.size === index + 1) compare(tree, tree.known);
      grown.add(account);
      leaves += 1;
      return { account, index, complete };
    },
    leaves: () => leaves,
    hasGrown: () => grown.size > 0,
    takeGrown: async () => {
      const roots = await inSlices([...grown], (account) => rootOf(account, treeOf(account)));
      grown.clear();
      return roots;
    },
    roots: () => inSlices([...trees], ([account, tree]) => rootOf(account, tree)),
    mapRoot: async () => {
      const map = createGrowingTree();
      const accounts = [...trees].sort(([one], [other]) => (one < other ? -1 : 1));
      await inSlices(accounts, ([account, tree]) => {
        tree.mapLeaf ??= accountLeaf(rootOf(account, tree));
        map.append(tree.mapLeaf);
      });
      return { size: map.size(), root: map.root() };
    },
    contradiction: () => {
      if (different !== undefined) return { account: different, is: 'different' };
      const [smaller] = expected.keys();
      return smaller === undefined ? undefined : { account: smaller, is: 'smaller' };
    },
    kept: () => [...trees].map(keptTree),
  };
};

const keptTree = ([account, tree]: readonly [string, Tree]): KeptTree => {
  const { size, hashes } = tree.state();
  return { account, size, hashes: Buffer.concat(hashes) };
};

const hashBytes = 32;

const continued = ({ size, hashes }: KeptTree): Tree => {
  // A buffer that comes from another thread is a plain array of bytes.
  const bytes = Buffer.from(hashes);
  const each = Array.from({ length: bytes.length / hashBytes }, (_, nth) => bytes.subarray(nth * hashBytes, (nth + 1) * hashBytes));
  return { ...createGrowingTree({ size, hashes: each }), known: undefined, mapLeaf: undefined };
};

const inSlices = async <Item, Result>(items: readonly Item[], work: (item: Item) => Result): Promise<readonly Result[]> => {
  const results: Result[] = [];
  for (const [nth, item] of items.entries()) {
    if (nth > 0 && nth % accountsAtOnce === 0) await nextTurn();
    results.push(work(item));
  }
  return results;
};
