import { type AccountMap, type AccountRoot, createAccountMap, verifiesAccount } from '@waymark/proof/account-map.ts';
import { readCheckpoint } from '@waymark/proof/checkpoint.ts';
import type { ProvenRoot } from '@waymark/proof/export/format.ts';
import { type ProofReads, ProofsUnavailable, type StoredCheckpoint } from '@waymark/proof-store/proof-store.ts';
import { mapAccountsMax, mapsMax } from './limits.ts';

/** Returns the tree of an account at a checkpoint; undefined where it had no event then.
 * @throws ProofsUnavailable where the store contradicts the signed root */
export type ProvenRoots = (account: string, checkpoint: StoredCheckpoint) => Promise<ProvenRoot | undefined>;

type LoadedMap = { readonly map: AccountMap; readonly roots: ReadonlyMap<string, AccountRoot> };

/** Creates the function that reads trees. It keeps the maps of the last checkpoints that were asked for. */
export const createProvenRoots = (reads: Pick<ProofReads, 'roots'>): ProvenRoots => {
  const maps = new Map<string, Promise<LoadedMap>>();
  const mapAt = (checkpoint: StoredCheckpoint): Promise<LoadedMap> => {
    const { note } = checkpoint;
    const loaded = maps.get(note) ?? loadMap(reads, checkpoint);
    maps.delete(note);
    maps.set(note, loaded);
    const [oldest] = maps.keys();
    if (maps.size > mapsMax && oldest !== undefined) maps.delete(oldest);
    loaded.catch(() => maps.delete(note));
    return loaded;
  };
  return async (account, checkpoint) => {
    const { map, roots } = await mapAt(checkpoint);
    const [root, place] = [roots.get(account), map.pathOf(account)];
    if (root === undefined || place === undefined) return undefined;
    if (!verifiesAccount(root, place, map)) throw new ProofsUnavailable('The map of accounts contradicts itself.');
    return { checkpoint: checkpoint.note, size: root.size, root: root.root, ...place };
  };
};

/** Reads the map of a checkpoint, and verifies it. */
const loadMap = async (reads: Pick<ProofReads, 'roots'>, { sequence, origin, number, note }: StoredCheckpoint): Promise<LoadedMap> => {
  const signed = readCheckpoint(note);
  if (signed.size > mapAccountsMax)
    throw new ProofsUnavailable(`The map has ${signed.size} accounts: at most ${mapAccountsMax} can be proven.`);
  const roots = await reads.roots(sequence);
  const map = createAccountMap(roots);
  if (signed.origin !== origin || signed.number !== number || signed.size !== map.size || !signed.root.equals(map.root))
    throw new ProofsUnavailable(`The proof store contradicts checkpoint ${number} of ${origin}.`);
  return { map, roots: new Map(roots.map((root) => [root.account, root])) };
};
