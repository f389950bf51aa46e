import { type AccountRoot, createAccountMap } from '@waymark/proof/account-map.ts';
import { type Checkpoint, checkpointDigest, checkpointText, keyNameOf, originOf } from '@waymark/proof/checkpoint.ts';
import { type EventInTree, eventLeaf } from '@waymark/proof/leaf.ts';
import { createNoteSigner, type NoteSigner } from '@waymark/proof/signed-note.ts';
import { createGrowingTree, type GrowingTree } from '@waymark/proof/tree.ts';
import type { AccountNode, Growth, PlacedLeaf, ProofStore, SignedCheckpoint } from '../proof-store.ts';

const installation = '0a0a0a0a-0b0b-4c0c-8d0d-0e0e0e0e0e0e';

export const signerOf = (seed: number): NoteSigner => createNoteSigner(keyNameOf(installation), Buffer.alloc(32, seed));

/** An event at a position of a log. */
export type LoggedEvent = EventInTree & { readonly position: number };

export type NotarySimulation = {
  /** Adds events to the trees and to the store. */
  readonly add: (events: readonly LoggedEvent[]) => Promise<boolean>;
  /** Returns what `add` would apply. */
  readonly growth: (events: readonly LoggedEvent[]) => Growth;
  /** Signs a checkpoint of everything that was added, and adds it to the store. */
  readonly sign: (options?: Partial<Pick<Checkpoint, 'key'>> & { readonly by?: NoteSigner }) => Promise<SignedCheckpoint>;
  /** The next checkpoint is the first one of another origin. */
  readonly startOver: (incarnation: string) => void;
  readonly tree: (account: string) => GrowingTree | undefined;
  readonly roots: () => readonly AccountRoot[];
};

/** Fills a store as the notary does, from one log. */
export const notaryOf = (store: ProofStore, log = 'log'): NotarySimulation => {
  const trees = new Map<string, GrowingTree>();
  let [position, number, incarnation, previous] = [0, 0, 'first', ''];
  let continues: Checkpoint['continues'] = null;
  let grown = new Set<string>();

  const growth = (events: readonly LoggedEvent[]): Growth => {
    const leaves: PlacedLeaf[] = [];
    const nodes: AccountNode[] = [];
    for (const event of events) {
      const { account } = event.envelope;
      const tree = trees.get(account) ?? createGrowingTree();
      trees.set(account, tree);
      grown.add(account);
      leaves.push({ account, index: tree.size(), stream: event.stream, revision: event.revision });
      nodes.push(...tree.append(eventLeaf(event)).map((node) => ({ ...node, account })));
    }
    const after = position;
    position = events.at(-1)?.position ?? after;
    return { incarnation: log, after, to: position, leaves, nodes };
  };
  const roots = (): readonly AccountRoot[] => [...trees].map(([account, tree]) => ({ account, size: tree.size(), root: tree.root() }));
  return {
    ...{ growth, roots, tree: (account) => trees.get(account) },
    add: (events) => store.apply(growth(events)),
    sign: async ({ key = null, by = signerOf(1) } = {}) => {
      number += 1;
      const map = createAccountMap(roots());
      const origin = originOf(installation, incarnation);
      const time = new Date(Date.UTC(2026, 10, 25, 10, number)).toISOString();
      const text = checkpointText({
        ...{ origin, size: map.size, root: map.root, number, time, key },
        previous: number === 1 ? null : previous,
        continues: number === 1 ? continues : null,
      });
      previous = checkpointDigest(text);
      const checkpoint = { origin, number, note: by.sign(text), announces: key !== null, incarnation: log, through: position };
      const changed = roots().filter(({ account }) => grown.has(account));
      grown = new Set();
      if (!(await store.noteCheckpoint(checkpoint, changed))) throw new Error('The store does not accept the checkpoint.');
      return checkpoint;
    },
    startOver: (name) => {
      continues = { origin: originOf(installation, incarnation), number, digest: previous };
      [incarnation, number] = [name, 0];
    },
  };
};
