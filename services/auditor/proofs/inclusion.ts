import { nextRevision } from '@waymark/event-log/event-log.ts';
import type { Handler } from '@waymark/http/call.ts';
import { forbidden, invalidFields, notCovered, notFound } from '@waymark/http/errors.ts';
import { storedRoot } from '@waymark/proof/export/format.ts';
import { eventLeaf } from '@waymark/proof/leaf.ts';
import { inclusionPlan, proofOf, verifiesInclusion } from '@waymark/proof/proofs.ts';
import { ProofsUnavailable } from '@waymark/proof-store/proof-store.ts';
import { readHashes } from '@waymark/proof-store/subtree-hashes.ts';
import { queryOf, revisionIn } from '../cursors.ts';
import { streamOf } from '../streams.ts';
import { coveredNow } from './checkpoints.ts';
import { nextCheckpointSeconds } from './limits.ts';
import type { ProofOptions } from './options.ts';
import type { ProvenRoots } from './proven-roots.ts';

/** Returns the handler that proves that an event is in the history of the account. */
export const inclusion =
  (options: ProofOptions, roots: ProvenRoots): Handler =>
  async (call) => {
    const { account } = call.access;
    const { reads, log } = options;
    const { stream, revision } = eventIn(queryOf(call.url));
    const { tree } = await coveredNow(reads, roots, account);
    const [leaf] = await reads.leavesOf(account, stream, revision);
    if (leaf?.revision !== revision || leaf.index >= tree.size) throw await uncovered(options, account, stream, revision);
    const [event] = await log.read(stream, revision);
    const plan = inclusionPlan(leaf.index, tree.size);
    const path = proofOf(plan, await readHashes(reads, account, plan.flat()));
    if (event === undefined || !verifiesInclusion({ leaf: eventLeaf(event), ...tree, index: leaf.index, proof: path }))
      throw new ProofsUnavailable(`The log or the proof store contradicts the checkpoint: ${stream}, revision ${revision}.`);
    const proven = { stream, revision, envelope: event.envelope };
    const body = { head: storedRoot(tree), event: proven, index: leaf.index, path: path.map((hash) => hash.toString('base64')) };
    return { status: 200, body: JSON.stringify(body) };
  };

/** Returns the event that a query names.
 * @throws HttpError 400 with all faults, 404 */
const eventIn = (query: URLSearchParams) => {
  const [kind, id, revision] = [query.get('kind'), query.get('id'), revisionIn(query.get('revision'))];
  const faults = {
    ...(kind === null ? { kind: ['Enter a kind of objects: pinpoints, lists, categories, events or applications.'] } : {}),
    ...(id === null ? { id: ['Enter the id of an object.'] } : {}),
    ...(revision === undefined ? { revision: ['Enter a revision: a whole number from 0.'] } : {}),
  };
  if (kind === null || id === null || revision === undefined) throw invalidFields(faults);
  return { stream: streamOf({ parameters: { kind, id } }), revision };
};

/** Returns the problem of an event that the checkpoint does not cover.
 * @param revision the lowest one that the log must have */
export const uncovered = async ({ log }: ProofOptions, account: string, stream: string, revision: number) => {
  const [[owner], [last = 'none']] = await Promise.all([log.owners([stream]), log.lastRevisions([stream])]);
  if (owner === undefined) return notFound();
  if (owner !== account) return forbidden();
  if (revision >= nextRevision(last)) return notFound();
  return notCovered('The last signed checkpoint does not cover the event yet.', nextCheckpointSeconds);
};
