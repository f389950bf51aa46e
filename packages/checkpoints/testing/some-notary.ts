import { checkpointsStream, isHistory } from '@waymark/domain/streams.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { scan } from '@waymark/event-log/scan.ts';
import { createAccountMap } from '@waymark/proof/account-map.ts';
import { checkpointDigest, checkpointText, keyNameOf, originOf } from '@waymark/proof/checkpoint.ts';
import { eventLeaf } from '@waymark/proof/leaf.ts';
import { createNoteSigner, type NoteSigner } from '@waymark/proof/signed-note.ts';
import { createGrowingTree, type GrowingTree } from '@waymark/proof/tree.ts';
import { sealCheckpoint } from '../logged.ts';
import type { CheckpointPlace } from '../place.ts';

export const signerOf = (installation: string, seed = 1): NoteSigner => createNoteSigner(keyNameOf(installation), Buffer.alloc(32, seed));

type SignOptions = { readonly seed?: number; readonly announces?: number; readonly isPublished?: boolean };

/** Returns the function of a notary that signs a checkpoint. It replays the whole log each time. */
export const someNotary = (log: EventLog, place: CheckpointPlace) => {
  const previous = new Map<string, { readonly number: number; readonly digest: string }>();
  return async ({ seed = 1, announces, isPublished = true }: SignOptions = {}): Promise<void> => {
    const { installation, incarnation, head } = await log.state();
    const trees = new Map<string, GrowingTree>();
    let events = 0;
    await scan(log, { after: 0, through: head }, async (batch) => {
      for (const event of batch.filter(({ stream }) => isHistory(stream))) {
        const tree = trees.get(event.envelope.account) ?? createGrowingTree();
        trees.set(event.envelope.account, tree);
        tree.append(eventLeaf(event));
        events += 1;
      }
    });
    const map = createAccountMap([...trees].map(([account, tree]) => ({ account, size: tree.size(), root: tree.root() })));
    const origin = originOf(installation, incarnation);
    const before = previous.get(origin);
    const number = (before?.number ?? 0) + 1;
    const text = checkpointText({
      ...{ origin, size: map.size, root: map.root, number },
      time: new Date(Date.UTC(2026, 10, 25, 10, number)).toISOString(),
      previous: before?.digest ?? null,
      continues: null,
      key: announces === undefined ? null : signerOf(installation, announces).verifierKey,
    });
    const note = signerOf(installation, seed).sign(text);
    const [last = 'none'] = await log.lastRevisions([checkpointsStream]);
    await log.append(checkpointsStream, [sealCheckpoint({ note, through: head, events, accounts: map.size })], last);
    previous.set(origin, { number, digest: checkpointDigest(text) });
    if (isPublished) await place.publish(origin, number, note);
  };
};
