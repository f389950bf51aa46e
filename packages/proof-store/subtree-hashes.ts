import { nodeHash } from '@waymark/proof/hashes.ts';
import type { Subtree } from '@waymark/proof/tree.ts';
import { type ProofReads, ProofsUnavailable, type TileKey, tileLevels } from './proof-store.ts';
import { tileOf } from './tile-growth.ts';

const hashBytes = 32;

/** The tiles that one call reads at most. A proof needs at most two for each six levels of a tree. */
export const tilesMax = 1_000;

/** Reads the hashes of complete subtrees of an account's tree, in the order of the arguments. The tiles that they are in are read at once.
 * @throws ProofsUnavailable where the store lacks one of them */
export const readHashes = async (
  { tiles }: Pick<ProofReads, 'tiles'>,
  account: string,
  subtrees: readonly Subtree[],
): Promise<readonly Buffer[]> => {
  const keys = new Map(subtrees.map((subtree) => [keyOf(tileWith(subtree)), tileWith(subtree)]));
  if (keys.size > tilesMax) throw new RangeError(`${keys.size} tiles are too many for one read.`);
  const found = keys.size === 0 ? [] : await tiles(account, [...keys.values()]);
  const byKey = new Map([...keys.keys()].map((key, nth) => [key, found[nth]]));
  const known = new Map<string, Buffer>();
  return subtrees.map((subtree) => hashIn(byKey.get(keyOf(tileWith(subtree))), subtree, known));
};

/** Returns the level of the tiles that have the hashes from which the hash of a node is computed. */
const baseOf = ({ level }: Subtree): number => level - (level % tileLevels);

const tileWith = (subtree: Subtree): TileKey => {
  const level = baseOf(subtree);
  return { level, index: tileOf(subtree.index * 2 ** (subtree.level - level)) };
};

const keyOf = ({ level, index }: Subtree): string => `${level} ${index}`;

/** @param known hashes that were computed before, by level and index */
const hashIn = (tile: Buffer | undefined, subtree: Subtree, known: Map<string, Buffer>): Buffer => {
  const before = known.get(keyOf(subtree));
  if (before !== undefined) return before;
  const { level, index } = subtree;
  const child = (nth: number): Buffer => hashIn(tile, { level: level - 1, index: 2 * index + nth }, known);
  const hash = level === baseOf(subtree) ? storedIn(tile, subtree) : nodeHash(child(0), child(1));
  known.set(keyOf(subtree), hash);
  return hash;
};

const storedIn = (tile: Buffer | undefined, subtree: Subtree): Buffer => {
  const from = (subtree.index % 2 ** tileLevels) * hashBytes;
  if (tile === undefined || tile.length < from + hashBytes)
    throw new ProofsUnavailable(`The proof store lacks the node ${keyOf(subtree)}: it is being filled.`);
  return tile.subarray(from, from + hashBytes);
};
