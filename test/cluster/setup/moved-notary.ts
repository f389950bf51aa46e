import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isHistory } from '@waymark/domain/streams.ts';
import { scan } from '@waymark/event-log/scan.ts';
import type { CheckedCheckpoint } from '@waymark/notary/testing/some-notary.ts';
import { eventLeaf } from '@waymark/proof/leaf.ts';
import { createGrowingTree } from '@waymark/proof/tree.ts';
import type { Tree } from '../../api/evidence.ts';
import { withLog } from '../history/facts.ts';

/** Replaces the directory of a notary by a copy of another one, as operations.md tells operators to. */
export const copyNotary = (from: string, to: string): void => {
  rmSync(join(to, 'notary'), { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  cpSync(join(from, 'notary'), join(to, 'notary'), { recursive: true });
};

/** Returns the last one of some checkpoints, as the first one of the next origin names it. */
export const finalOf = (checkpoints: readonly CheckedCheckpoint[]) => {
  const final = checkpoints.at(-1);
  return final && { origin: final.checkpoint.origin, number: final.checkpoint.number, digest: final.digest };
};

/** Returns the root of an account's tree in the event store when it had some leaves.
 * @param account as envelopes have it */
export const rootAt = (account: string, { size }: Tree): Promise<string> =>
  withLog(async (log) => {
    const tree = createGrowingTree();
    const { head } = await log.state();
    await scan(log, { after: 0, through: head }, async (batch) => {
      for (const event of batch)
        if (isHistory(event.stream) && event.envelope.account === account && tree.size() < size) tree.append(eventLeaf(event));
    });
    expect(tree.size()).toBe(size);
    return tree.root().toString('base64');
  });
