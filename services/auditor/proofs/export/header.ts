import { type EarlierRoot, headerLine, type ProvenRoot } from '@waymark/proof/export/format.ts';
import type { ProofReads, StoredCheckpoint } from '@waymark/proof-store/proof-store.ts';
import { type Covered, numbered, treeAt } from '../checkpoints.ts';
import { consistencyBetween } from '../consistency.ts';
import { formerOriginsMax } from '../limits.ts';
import type { ProvenRoots } from '../proven-roots.ts';

/** What the first page of an export says before its events. */
export type HeaderQuery = {
  /** Numbers of earlier checkpoints that the reader has. */
  readonly numbers: readonly number[];
  /** False if the export names no keys and no former origins: for readers that trust the last key only. */
  readonly announcements: boolean;
};

/** Returns the first line of an export.
 * @param object the stream of the object; null for all of the account
 * @throws HttpError 404, 409; ProofsUnavailable */
export const exportHeader = async (
  { reads, roots }: { readonly reads: ProofReads; readonly roots: ProvenRoots },
  account: string,
  object: string | null,
  { checkpoint, tree }: Covered,
  { numbers, announcements }: HeaderQuery,
): Promise<string> => {
  const milestones = announcements ? (await reads.milestones()).filter(({ sequence }) => sequence <= checkpoint.sequence) : [];
  const named = await numbered(reads, checkpoint, numbers);
  const earlier: EarlierRoot[] = [];
  const add = async (root: ProvenRoot): Promise<void> => {
    earlier.push({ ...root, consistency: await consistencyBetween(reads, account, root, tree) });
  };
  for (const final of finalOnes(milestones, checkpoint)) {
    const root = await roots(account, final);
    if (root !== undefined) await add(root);
  }
  for (const one of named) await add(await treeAt(roots, account, one));
  const announcing = milestones.filter(({ announces }) => announces).map(({ note }) => note);
  return headerLine({ account, object, announcements: announcing, head: tree, earlier });
};

/** Returns the final checkpoints of the former origins of the installation, which has the same name in all of them. */
const finalOnes = (milestones: readonly StoredCheckpoint[], { origin }: StoredCheckpoint): readonly StoredCheckpoint[] => {
  const installation = origin.slice(0, origin.lastIndexOf('/') + 1);
  const last = new Map(milestones.map((one) => [one.origin, one]));
  return [...last.values()].filter((one) => one.origin !== origin && one.origin.startsWith(installation)).slice(-formerOriginsMax);
};
