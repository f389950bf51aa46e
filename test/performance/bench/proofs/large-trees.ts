import type { RecordedEvent } from '@waymark/domain/event.ts';
import { sampleEnvelope } from '@waymark/domain/testing/samples.ts';
import { type AccountRoot, createAccountMap } from '@waymark/proof/account-map.ts';
import { checkpointText, originOf } from '@waymark/proof/checkpoint.ts';
import { eventLeaf } from '@waymark/proof/leaf.ts';
import { createNoteSigner } from '@waymark/proof/signed-note.ts';
import { createGrowingTree } from '@waymark/proof/tree.ts';
import type { AccountNode, PlacedLeaf, ProofStore } from '@waymark/proof-store/proof-store.ts';

/** The account whose history is proven. */
export const account = 'large';
/** The events of each object. */
const revisions = 5;
/** Events that are applied at once. */
const batchEvents = 1_000;

/** Returns the event of the account at a place. Neighbouring events are of different objects. */
const eventAt = (index: number, events: number): RecordedEvent => {
  const objects = Math.ceil(events / revisions);
  return eventOf(`pinpoint-${1 + (index % objects)}`, Math.floor(index / objects));
};

/** Returns an event of the account. A log returns it without the cost of a read. */
export const eventOf = (stream: string, revision: number): RecordedEvent => ({
  ...{ stream, revision, position: 0, salt: null, content: null },
  envelope: { ...sampleEnvelope, id: `${stream}-${revision}`, account },
});

/** Fills a store with the history of the large account, and checkpoints at its tenths. The other accounts have one event each. Returns the
 * number of events a second. */
export const fillStore = async (store: ProofStore, events: number, accounts: number): Promise<number> => {
  const signer = createNoteSigner('waymark/bench', Buffer.alloc(32, 1));
  const tree = createGrowingTree();
  const others = Array.from({ length: accounts - 1 }, (_, nth): AccountRoot => ({ account: `other-${nth}`, size: 1, root: leaf }));
  const origin = originOf('bench', 'log');
  let [position, number] = [0, 0];
  const apply = async (count: number): Promise<void> => {
    const leaves: PlacedLeaf[] = [];
    const nodes: AccountNode[] = [];
    for (let nth = 0; nth < count; nth += 1) {
      const event = eventAt(tree.size(), events);
      leaves.push({ account, index: tree.size(), stream: event.stream, revision: event.revision });
      for (const node of tree.append(eventLeaf(event))) nodes.push({ ...node, account });
    }
    await store.apply({ incarnation: 'log', after: position, to: position + count, leaves, nodes });
    position += count;
  };
  const sign = async (): Promise<void> => {
    const own = { account, size: tree.size(), root: tree.root() };
    const map = createAccountMap([...others, own]);
    number += 1;
    const previous = number === 1 ? null : leaf.toString('base64');
    const time = new Date().toISOString();
    const text = checkpointText({ origin, size: map.size, root: map.root, number, time, previous, continues: null, key: null });
    const checkpoint = { origin, number, note: signer.sign(text), announces: false, incarnation: 'log', through: position };
    await store.noteCheckpoint(checkpoint, number === 1 ? [...others, own] : [own]);
  };
  const began = performance.now();
  for (let tenth = 1; tenth <= checkpoints; tenth += 1) {
    const to = Math.round((events * tenth) / checkpoints);
    while (position < to) await apply(Math.min(batchEvents, to - position));
    await sign();
  }
  return events / ((performance.now() - began) / 1_000);
};

/** The number of checkpoints that `fillStore` signs. */
export const checkpoints = 10;

const leaf = eventLeaf(eventOf('pinpoint-1', 0));
