import { originOf } from '@waymark/proof/checkpoint.ts';
import fc from 'fast-check';
import type { ProofStore } from '../proof-store.ts';
import { eventsOf } from '../testing/events.ts';
import { notaryOf, signerOf } from '../testing/notary.ts';
import { type ProofStoreAdapter, propertiesTimeoutMs } from '../testing/subject.ts';

/** The part of the contract that covers checkpoints. */
export const checkpointsContract = (store: () => ProofStore, { open, runs }: ProofStoreAdapter) => {
  it('are none at first', async () => {
    expect(await store().latest()).toBeUndefined();
    expect(await store().milestones()).toEqual([]);
    expect(await store().checkpoints('waymark/a/b', [1])).toEqual([]);
    expect(await store().roots(1)).toEqual([]);
  });

  it('are returned by number, and the last one', async () => {
    const notary = notaryOf(store());
    await notary.add(eventsOf([1]));
    const first = await notary.sign();
    await notary.add(eventsOf([1, 2]).slice(1));
    const second = await notary.sign();
    expect(await store().latest()).toEqual({ ...second, sequence: 2 });
    expect(await store().checkpoints(first.origin, [2, 1, 3, 1])).toEqual([
      { ...first, sequence: 1 },
      { ...second, sequence: 2 },
    ]);
    expect(await store().checkpoints('waymark/another', [1])).toEqual([]);
  });

  it('are refused before their events were applied, of another log, and out of order; then nothing is changed', async () => {
    const notary = notaryOf(store());
    await notary.add(eventsOf([1]));
    const first = await notary.sign();
    const next = { ...first, number: 2 };
    const later = notary.roots();
    expect(await store().noteCheckpoint({ ...next, through: first.through + 1 }, later)).toBe(false);
    expect(await store().noteCheckpoint({ ...next, incarnation: 'another' }, later)).toBe(false);
    expect(await store().noteCheckpoint({ ...next, number: 3 }, later)).toBe(false);
    expect(await store().noteCheckpoint(first, later)).toBe(false);
    expect(await store().latest()).toEqual({ ...first, sequence: 1 });
    expect(await store().noteCheckpoint(next, later)).toBe(true);
  });

  it('are milestones where they announce a key or end an origin', async () => {
    const notary = notaryOf(store());
    await notary.add(eventsOf([1]));
    await notary.sign();
    const announcing = await notary.sign({ key: signerOf(2).verifierKey });
    const final = await notary.sign({ by: signerOf(2) });
    expect(await store().milestones()).toEqual([{ ...announcing, sequence: 2 }]);
    notary.startOver('second');
    const next = await notary.sign({ by: signerOf(2) });
    expect(next.origin).toBe(originOf('0a0a0a0a-0b0b-4c0c-8d0d-0e0e0e0e0e0e', 'second'));
    expect(await store().milestones()).toEqual([
      { ...announcing, sequence: 2 },
      { ...final, sequence: 3 },
    ]);
  });

  it(
    'each have the roots of all accounts, of any log',
    async () => {
      const parts = fc.array(fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 20 }), { minLength: 1, maxLength: 15 });
      const property = fc.asyncProperty(parts, async (of) => {
        const opened = await open();
        const notary = notaryOf(opened);
        const events = eventsOf(of.flat());
        const expected: unknown[] = [];
        let added = 0;
        await opened.apply({ incarnation: 'log', after: 0, to: 0, leaves: [], nodes: [] });
        for (const part of of) {
          await notary.add(events.slice(added, added + part.length));
          added += part.length;
          await notary.sign();
          expected.push(byAccount(notary.roots()));
        }
        for (const [nth, roots] of expected.entries()) expect(byAccount(await opened.roots(nth + 1))).toEqual(roots);
        await opened.close();
      });
      await fc.assert(property, { numRuns: runs });
    },
    propertiesTimeoutMs,
  );
};

export const byAccount = <Root extends { readonly account: string }>(roots: readonly Root[]) =>
  roots.toSorted((one, other) => one.account.localeCompare(other.account));
