import { invalidFields, notCovered, notFound } from '@waymark/http/errors.ts';
import type { ProvenRoot } from '@waymark/proof/export/format.ts';
import type { ProofReads, StoredCheckpoint } from '@waymark/proof-store/proof-store.ts';
import { nextCheckpointSeconds } from './limits.ts';
import type { ProvenRoots } from './proven-roots.ts';

/** The tree of an account at a checkpoint, which covers it. */
export type Covered = { readonly checkpoint: StoredCheckpoint; readonly tree: ProvenRoot };

/** Returns the last checkpoint.
 * @throws HttpError 409 while there is none, ProofsUnavailable */
export const lastCheckpoint = async (reads: Pick<ProofReads, 'latest'>): Promise<StoredCheckpoint> => {
  const checkpoint = await reads.latest();
  if (checkpoint === undefined) throw notCovered('There is no signed checkpoint yet.', nextCheckpointSeconds);
  return checkpoint;
};

/** Returns the tree of an account at the last checkpoint.
 * @throws HttpError 409 where the account had no event then, ProofsUnavailable */
export const coveredNow = async (reads: Pick<ProofReads, 'latest'>, roots: ProvenRoots, account: string): Promise<Covered> => {
  const checkpoint = await lastCheckpoint(reads);
  const tree = await roots(account, checkpoint);
  if (tree === undefined) throw notCovered('The last signed checkpoint does not cover the account yet.', nextCheckpointSeconds);
  return { checkpoint, tree };
};

/** Returns the tree of an account at an earlier checkpoint.
 * @throws HttpError 404 where the account had no event then, ProofsUnavailable */
export const treeAt = async (roots: ProvenRoots, account: string, checkpoint: StoredCheckpoint): Promise<ProvenRoot> => {
  const tree = await roots(account, checkpoint);
  if (tree === undefined) throw notFound();
  return tree;
};

/** Returns checkpoints of the origin of the last one.
 * @throws HttpError 404 where there is no such checkpoint, 409 where one is not signed yet; ProofsUnavailable */
export const numbered = async (
  reads: Pick<ProofReads, 'checkpoints'>,
  { origin, number: last }: StoredCheckpoint,
  numbers: readonly number[],
): Promise<readonly StoredCheckpoint[]> => {
  const found = await reads.checkpoints(origin, numbers);
  if (found.length === new Set(numbers).size) return found;
  if (numbers.some((number) => number > last)) throw notCovered(`The last signed checkpoint is ${last}.`, nextCheckpointSeconds);
  throw notFound();
};

/** Returns the number of a checkpoint in a parameter; undefined if the query lacks it.
 * @throws HttpError 400 */
export const numberIn = (query: URLSearchParams, name: string): number | undefined => {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!isNumber(text)) throw invalidFields({ [name]: ['Enter the number of a checkpoint.'] });
  return Number(text);
};

export const isNumber = (text: string): boolean => /^[1-9]\d{0,14}$/.test(text);
