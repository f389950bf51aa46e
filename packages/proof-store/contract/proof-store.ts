import { eventLeaf } from '@waymark/proof/leaf.ts';
import { consistencyPlan, inclusionPlan, type ProofPlan, proofOf, verifiesConsistency, verifiesInclusion } from '@waymark/proof/proofs.ts';
import { createGrowingTree } from '@waymark/proof/tree.ts';
import fc from 'fast-check';
import { leavesMax, type ProofStore } from '../proof-store.ts';
import { readHashes } from '../subtree-hashes.ts';
import { eventsOf } from '../testing/events.ts';
import { type LoggedEvent, notaryOf } from '../testing/notary.ts';
import { type ProofStoreAdapter, propertiesTimeoutMs } from '../testing/subject.ts';
import { byAccount, checkpointsContract } from './checkpoints.ts';

/** The contract of every adapter of the proof store. */
export const proofStoreContract = (name: string, adapter: ProofStoreAdapter) =>
  describe(`a proof store in ${name}`, () => {
    let store: Awaited<ReturnType<ProofStoreAdapter['open']>>;
    beforeEach(async () => {
      store = await adapter.open();
    });
    afterEach(() => store.close());

    describe('its position', () => positionContract(() => store));
    describe('its trees', () => treesContract(() => store, adapter));
    describe('its checkpoints', () => checkpointsContract(() => store, adapter));
    describe('that is cleared', () => clearContract(() => store));
  });

const positionContract = (store: () => ProofStore) => {
  it('is undefined until something was applied', async () => {
    expect(await store().position()).toBeUndefined();
    expect(await notaryOf(store()).add(eventsOf([1, 2, 1]))).toBe(true);
    expect(await store().position()).toEqual({ incarnation: 'log', position: 5 });
  });

  it('moves past events that are in no tree', async () => {
    await store().apply({ incarnation: 'log', after: 0, to: 7, leaves: [], nodes: [] });
    await store().apply({ incarnation: 'log', after: 7, to: 9, leaves: [], nodes: [] });
    expect(await store().position()).toEqual({ incarnation: 'log', position: 9 });
  });

  it('refuses a growth after another position, or of another log, and changes nothing', async () => {
    const notary = notaryOf(store());
    const first = notary.growth(eventsOf([1, 1]));
    const second = notary.growth(eventsOf([1, 1, 1, 1]).slice(2));
    expect(await store().apply(second)).toBe(false);
    expect(await store().position()).toBeUndefined();
    expect(await store().apply(first)).toBe(true);
    expect(await store().apply(first)).toBe(false);
    expect(await store().apply({ ...second, incarnation: 'another' })).toBe(false);
    expect(await store().leaves('account-1', 0)).toHaveLength(2);
    expect(await store().apply(second)).toBe(true);
    expect(await store().leaves('account-1', 0)).toHaveLength(4);
  });

  it('lets one of two writers apply a growth', async () => {
    const growth = notaryOf(store()).growth(eventsOf([1, 2, 1, 2]));
    const outcomes = await Promise.all([store().apply(growth), store().apply(growth)]);
    expect(outcomes.toSorted()).toEqual([false, true]);
    expect(await store().leaves('account-1', 0)).toHaveLength(2);
  });
};

/** Adds events in batches of these sizes, in rotation. */
const addAll = async (store: ProofStore, events: readonly LoggedEvent[], sizes: readonly number[]) => {
  const notary = notaryOf(store);
  for (let [start, turn] = [0, 0]; start < events.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    expect(await notary.add(events.slice(start, start + size))).toBe(true);
    start += size;
  }
  return notary;
};

const treesContract = (store: () => ProofStore, { open, runs }: ProofStoreAdapter) => {
  const proof = async (of: ProofStore, account: string, plan: ProofPlan) => proofOf(plan, await readHashes(of, account, plan.flat()));

  it(
    'give the proofs of any log, in whichever batches it was applied',
    async () => {
      const accounts = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 600 });
      const sizes = fc.array(fc.integer({ min: 1, max: 150 }), { minLength: 1, maxLength: 4 });
      const property = fc.asyncProperty(accounts, sizes, fc.nat(), fc.nat(), async (of, batches, one, other) => {
        const opened = await open();
        const events = eventsOf(of);
        const notary = await addAll(opened, events, batches);
        for (const { account, size, root } of notary.roots()) {
          const own = events.filter(({ envelope }) => envelope.account === account);
          const [index, from] = [one % size, 1 + (other % size)];
          const inclusion = await proof(opened, account, inclusionPlan(index, size));
          const leaf = eventLeaf(own[index] as LoggedEvent);
          expect(verifiesInclusion({ leaf, index, size, root, proof: inclusion })).toBe(true);
          const earlier = createGrowingTree();
          for (const event of own.slice(0, from)) earlier.append(eventLeaf(event));
          const consistency = await proof(opened, account, consistencyPlan(from, size));
          expect(verifiesConsistency({ size: from, root: earlier.root() }, { size, root }, consistency)).toBe(true);
        }
        await opened.close();
      });
      await fc.assert(property, { numRuns: runs });
    },
    propertiesTimeoutMs,
  );

  it('have the events of leaves, and the leaves of events', async () => {
    const events = eventsOf(
      Array.from({ length: 2 * leavesMax }, (_, nth) => 1 + (nth % 2)),
      4,
    );
    await addAll(store(), events, [100]);
    const own = events.filter(({ envelope }) => envelope.account === 'account-2');
    const leaves = own.map(({ stream, revision }, index) => ({ account: 'account-2', index, stream, revision }));
    expect(await store().leaves('account-2', 0)).toEqual(leaves);
    expect(await store().leaves('account-2', 70)).toEqual(leaves.slice(70));
    expect(await store().leaves('account-2', own.length)).toEqual([]);
    const ofStream = leaves.filter(({ stream }) => stream === 'pinpoint-2001');
    expect(await store().leavesOf('account-2', 'pinpoint-2001', 0)).toEqual(ofStream);
    expect(await store().leavesOf('account-2', 'pinpoint-2001', 65)).toEqual(ofStream.slice(65));
    expect(await store().leavesOf('account-1', 'pinpoint-2001', 0)).toEqual([]);
    expect(await store().leavesOf('account-2', 'pinpoint-2001', 9_999)).toEqual([]);
  });

  it('are read in pages', async () => {
    await addAll(
      store(),
      eventsOf(
        Array.from({ length: leavesMax + 80 }, () => 1),
        1,
      ),
      [leavesMax],
    );
    expect(await store().leaves('account-1', 0)).toHaveLength(leavesMax);
    expect(await store().leaves('account-1', leavesMax)).toHaveLength(80);
    expect(await store().leavesOf('account-1', 'pinpoint-1000', 0)).toHaveLength(leavesMax);
    expect(await store().leavesOf('account-1', 'pinpoint-1000', leavesMax)).toHaveLength(80);
  });

  it('have no tile beyond their ends', async () => {
    await addAll(store(), eventsOf([1, 1]), [2]);
    const keys = [
      { level: 0, index: 1 },
      { level: 0, index: 0 },
      { level: 6, index: 0 },
    ];
    expect((await store().tiles('account-1', keys)).map((tile) => tile?.length)).toEqual([undefined, 64, undefined]);
  });
};

const clearContract = (store: () => ProofStore) => {
  it('has nothing, and is filled again', async () => {
    const events = eventsOf(Array.from({ length: 300 }, (_, nth) => nth % 3));
    const fill = async () => {
      const notary = await addAll(store(), events, [128]);
      await notary.sign();
      return notary;
    };
    await fill();
    await store().clear();
    expect(await store().position()).toBeUndefined();
    expect(await store().latest()).toBeUndefined();
    expect(await store().leaves('account-1', 0)).toEqual([]);
    expect(await store().leavesOf('account-1', 'pinpoint-1001', 0)).toEqual([]);
    expect(await store().tiles('account-1', [{ level: 0, index: 0 }])).toEqual([undefined]);
    expect(await store().roots(1)).toEqual([]);
    await expect(readHashes(store(), 'account-1', [{ level: 0, index: 0 }])).rejects.toThrow('lacks the node');
    const notary = await fill();
    expect(byAccount(await store().roots(1))).toEqual(byAccount(notary.roots()));
  });

  it('that has nothing stays so', async () => {
    await store().clear();
    expect(await store().position()).toBeUndefined();
  });
};
