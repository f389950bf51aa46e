import type { ProvenRoot } from '@waymark/proof/export/format.ts';
import { eventLine } from '@waymark/proof/export/format.ts';
import { eventLeaf } from '@waymark/proof/leaf.ts';
import { inclusionPlan, proofOf, verifiesInclusion } from '@waymark/proof/proofs.ts';
import { rangePlan, rootWithRange } from '@waymark/proof/range-root.ts';
import { ProofsUnavailable } from '@waymark/proof-store/proof-store.ts';
import { readHashes } from '@waymark/proof-store/subtree-hashes.ts';
import { pageEventsMax } from '../limits.ts';
import type { ProofOptions } from '../options.ts';
import { exported, readLeafEvents } from './events.ts';

/** A page of an export. `next`: where the next one begins; null at the end. */
export type ExportPage = { readonly lines: readonly string[]; readonly next: number | null };

/** Returns the events of an account from an index on, in its order. They are verified together against the root of the tree.
 * @throws ProofsUnavailable */
export const accountPage = async ({ reads, log }: ProofOptions, account: string, tree: ProvenRoot, from: number): Promise<ExportPage> => {
  const leaves = (await reads.leaves(account, from)).slice(0, Math.min(pageEventsMax, tree.size - from));
  if (leaves.length === 0) throw new ProofsUnavailable(`The proof store lacks the leaf ${from}.`);
  const events = await readLeafEvents(log, leaves);
  const range = { from, to: from + events.length };
  const hashes = await readHashes(reads, account, rangePlan(range, tree.size));
  const leafHashes = events.map(({ event }) => eventLeaf(event));
  if (!rootWithRange(range, tree.size, leafHashes, hashes).equals(tree.root))
    throw new ProofsUnavailable(`The log or the proof store contradicts the checkpoint: leaves ${range.from} to ${range.to - 1}.`);
  return { lines: events.map(({ event }) => eventLine(exported(event, null))), next: range.to < tree.size ? range.to : null };
};

/** Returns the events of an object from a revision on, each with its inclusion proof, which is verified. It is empty where the checkpoint covers
 * none of them.
 * @throws ProofsUnavailable */
export const objectPage = async (
  { reads, log }: ProofOptions,
  account: string,
  tree: ProvenRoot,
  object: { readonly stream: string; readonly from: number },
): Promise<ExportPage> => {
  const found = await reads.leavesOf(account, object.stream, object.from);
  const leaves = found.filter(({ index }) => index < tree.size).slice(0, pageEventsMax);
  const events = await readLeafEvents(log, leaves);
  const plans = events.map(({ leaf }) => inclusionPlan(leaf.index, tree.size));
  const hashes = await readHashes(reads, account, plans.flat(2));
  let used = 0;
  const lines = events.map(({ leaf, event }, nth) => {
    const plan = plans[nth] ?? [];
    const count = plan.flat().length;
    used += count;
    const path = proofOf(plan, hashes.slice(used - count, used));
    if (!verifiesInclusion({ leaf: eventLeaf(event), index: leaf.index, size: tree.size, root: tree.root, proof: path }))
      throw new ProofsUnavailable(`The log or the proof store contradicts the checkpoint: ${leaf.stream}, revision ${leaf.revision}.`);
    return eventLine(exported(event, { index: leaf.index, path }));
  });
  const last = events.at(-1)?.leaf;
  return { lines, next: last === undefined || (await isLast(reads, account, tree, last)) ? null : last.revision + 1 };
};

/** Returns whether the checkpoint covers no later event of a stream. */
const isLast = async (
  reads: ProofOptions['reads'],
  account: string,
  tree: ProvenRoot,
  { stream, revision }: { readonly stream: string; readonly revision: number },
): Promise<boolean> => {
  const [later] = await reads.leavesOf(account, stream, revision + 1);
  return later === undefined || later.index >= tree.size;
};
