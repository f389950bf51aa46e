import type { Handler } from '@waymark/http/call.ts';
import { invalidFields } from '@waymark/http/errors.ts';
import { type ProvenRoot, storedRoot } from '@waymark/proof/export/format.ts';
import { consistencyPlan, proofOf, verifiesConsistency } from '@waymark/proof/proofs.ts';
import { type ProofReads, ProofsUnavailable } from '@waymark/proof-store/proof-store.ts';
import { readHashes } from '@waymark/proof-store/subtree-hashes.ts';
import { queryOf } from '../cursors.ts';
import { lastCheckpoint, numbered, numberIn, treeAt } from './checkpoints.ts';
import type { ProofOptions } from './options.ts';
import type { ProvenRoots } from './proven-roots.ts';

/** Returns the handler that proves that the account's history at a checkpoint is the beginning of that at a later one. */
export const consistency =
  ({ reads }: ProofOptions, roots: ProvenRoots): Handler =>
  async (call) => {
    const { account } = call.access;
    const query = queryOf(call.url);
    const [from, to] = [numberIn(query, 'from'), numberIn(query, 'to')];
    if (from === undefined) throw invalidFields({ from: ['Enter the number of a checkpoint.'] });
    if (to !== undefined && to < from) throw invalidFields({ to: ['Enter a checkpoint that is not before the other one.'] });
    const last = await lastCheckpoint(reads);
    const checkpoints = await numbered(reads, last, [from, to ?? last.number]);
    const [earlier, later] = [checkpoints[0] ?? last, checkpoints.at(-1) ?? last];
    const before = await treeAt(roots, account, earlier);
    const after = await treeAt(roots, account, later);
    const proof = await consistencyBetween(reads, account, before, after);
    const body = { from: storedRoot(before), to: storedRoot(after), consistency: proof.map((hash) => hash.toString('base64')) };
    return { status: 200, body: JSON.stringify(body) };
  };

/** Returns the proof that a tree of an account is the beginning of a later one.
 * @throws ProofsUnavailable where it does not verify */
export const consistencyBetween = async (
  reads: Pick<ProofReads, 'tiles'>,
  account: string,
  earlier: ProvenRoot,
  later: ProvenRoot,
): Promise<readonly Buffer[]> => {
  if (earlier.size > later.size) throw new ProofsUnavailable('The tree of an earlier checkpoint is larger than that of a later one.');
  const plan = consistencyPlan(earlier.size, later.size);
  const proof = proofOf(plan, await readHashes(reads, account, plan.flat()));
  if (!verifiesConsistency(earlier, later, proof)) throw new ProofsUnavailable('The trees of two checkpoints contradict each other.');
  return proof;
};
