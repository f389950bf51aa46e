import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ProofStore, ProofsUnavailable } from '@waymark/proof-store/proof-store.ts';
import { openSqliteProofStore } from '@waymark/proof-store/sqlite/proof-store.ts';
import { eventsOf } from '@waymark/proof-store/testing/events.ts';
import { notaryOf } from '@waymark/proof-store/testing/notary.ts';
import { keptForStoreMax } from './limits.ts';
import { ReadAgain } from './refused.ts';
import { createStoreSteps } from './store-steps.ts';

const unavailable = (): never => {
  throw new ProofsUnavailable('It is unavailable.');
};

describe('steps for a proof store', () => {
  let folder: string;
  let store: ReturnType<typeof openSqliteProofStore>;
  let isAvailable: boolean;
  let isAnswerLost: boolean;
  let asked: number;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'waymark-steps-'));
    store = openSqliteProofStore(join(folder, 'proofs.db'));
    [isAvailable, isAnswerLost, asked] = [true, false, 0];
  });
  afterEach(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });

  /** Asks the store as if it were over a network. */
  const over =
    <Parameters extends readonly unknown[], Result>(call: (...parameters: Parameters) => Promise<Result>) =>
    async (...parameters: Parameters): Promise<Result> => {
      asked += 1;
      if (!isAvailable) unavailable();
      const result = await call(...parameters);
      return isAnswerLost ? unavailable() : result;
    };
  const begin = (isKnown = true) => {
    const steps = createStoreSteps(
      {
        position: over(store.position),
        apply: over(store.apply),
        noteCheckpoint: over(store.noteCheckpoint),
        clear: over(store.clear),
        latest: over(store.latest),
      },
      isKnown,
    );
    const fed: ProofStore = {
      ...store,
      apply: (growth) => steps.add({ growth }).then(() => true),
      noteCheckpoint: (checkpoint, roots) => steps.add({ noted: { checkpoint, roots } }).then(() => true),
    };
    return { steps, notary: notaryOf(fed) };
  };
  const lastNumber = async (): Promise<number | undefined> => (await store.latest())?.number;
  const some = eventsOf(Array.from({ length: 12 }, (_, nth) => nth % 3));

  it('give what was kept, in order, once the store is available again', async () => {
    const { steps, notary } = begin();
    await notary.add(some.slice(0, 4));
    isAvailable = false;
    await notary.add(some.slice(4, 8));
    const checkpoint = await notary.sign();
    await notary.add(some.slice(8));
    await notary.sign();
    await steps.check();
    expect(await store.position()).toMatchObject({ position: some[3]?.position });
    isAvailable = true;
    await steps.check();
    expect(await store.position()).toMatchObject({ position: some.at(-1)?.position });
    expect(await store.checkpoints(checkpoint.origin, [1, 2])).toMatchObject([{ number: 1 }, { number: 2 }]);
    expect(await store.roots(2)).toEqual(expect.arrayContaining([...notary.roots()]));
  });

  it('ask an unavailable store once, and then only in checks', async () => {
    const { steps, notary } = begin();
    isAvailable = false;
    for (const event of some) await notary.add([event]);
    expect(asked).toBe(1);
    await steps.check();
    expect(asked).toBe(2);
  });

  it.each([
    ['a growth', 1],
    ['a checkpoint', 2],
  ])('do not give %s again that was stored although its answer was lost', async (_, lost) => {
    const { steps, notary } = begin();
    isAnswerLost = lost === 1;
    await notary.add(some.slice(0, 6));
    isAnswerLost = true;
    await notary.sign();
    isAnswerLost = false;
    await notary.add(some.slice(6));
    await steps.check();
    await notary.sign();
    expect([await lastNumber(), (await store.position())?.position]).toEqual([2, some.at(-1)?.position]);
  });

  it('end where the store was emptied, also without a step to give', async () => {
    const { steps, notary } = begin();
    await steps.check();
    await notary.add(some);
    await steps.check();
    await steps.check();
    await store.clear();
    await expect(steps.check()).rejects.toThrow(new ReadAgain('The proof store is empty: it is filled.'));
  });

  it('end where another process has changed the store', async () => {
    const { steps, notary } = begin();
    await notary.add(some.slice(0, 4));
    isAvailable = false;
    await notary.add(some.slice(4));
    await store.clear();
    isAvailable = true;
    await expect(steps.check()).rejects.toThrow(new ReadAgain('Another process has changed the proof store.'));
  });

  it('end, once the store is available again, where more was left out than is kept', async () => {
    const { steps, notary } = begin();
    isAvailable = false;
    for (const event of eventsOf(Array.from({ length: keptForStoreMax + 1 }, () => 1))) await notary.add([event]);
    await steps.check();
    isAvailable = true;
    await notary.sign();
    expect([await lastNumber(), await store.position()]).toEqual([undefined, undefined]);
    await expect(steps.check()).rejects.toThrow(new ReadAgain('The proof store is available again: it is filled.'));
  });

  it('give a step that has more events than are kept to a store that is available', async () => {
    const { notary } = begin();
    const many = eventsOf(Array.from({ length: keptForStoreMax + 1 }, () => 1));
    await notary.add(many);
    expect(await store.position()).toMatchObject({ position: many.at(-1)?.position });
  });

  it('keep nothing for a store that was unavailable from the start', async () => {
    const { steps, notary } = begin(false);
    await notary.add(some);
    expect(asked).toBe(0);
    await expect(steps.check()).rejects.toThrow(new ReadAgain('The proof store is available again: it is filled.'));
  });
});
