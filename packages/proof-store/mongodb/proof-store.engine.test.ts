import { createMongoClient } from '@waymark/read-models/mongodb/client.ts';
import { namespaceIn } from '@waymark/read-models/mongodb/namespace.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import type { MongoClient } from 'mongodb';
import { proofStoreContract } from '../contract/proof-store.ts';
import { ProofsUnavailable } from '../proof-store.ts';
import { eventsOf } from '../testing/events.ts';
import { notaryOf } from '../testing/notary.ts';
import { proofCollections, proofPrefix } from './collections.ts';
import { openMongoProofStore } from './proof-store.ts';

describeOn(['mongodb'], 'with MongoDB', () => {
  const database = ownName('proofs');
  let client: MongoClient;
  beforeAll(() => {
    client = createMongoClient({ url: urlOf('mongodb') });
  });
  afterAll(async () => {
    await client.db(database).dropDatabase();
    await client.close();
  });
  const collections = () => proofCollections(namespaceIn(client.db(database), proofPrefix));
  const open = async () => {
    const store = openMongoProofStore({ url: urlOf('mongodb'), database });
    await store.ensure();
    await store.clear();
    return store;
  };

  proofStoreContract('MongoDB', { open, runs: 4 });

  it('of two processes that clear a store, one continues', async () => {
    const store = await open();
    const notary = notaryOf(store);
    await notary.add(eventsOf(Array.from({ length: 3_000 }, (_, nth) => nth)));
    const outcomes = await Promise.allSettled([store.clear(), store.clear()]);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeLessThan(2);
    for (const outcome of refused) expect(outcome).toMatchObject({ reason: expect.any(ProofsUnavailable) });
    expect(await store.position()).toBeUndefined();
    expect(await collections().tile.countDocuments()).toBe(0);
    await store.close();
  });

  it('cannot be filled while it is cleared, and is cleared again after a crash', async () => {
    const store = await open();
    await notaryOf(store).add(eventsOf([1, 2]));
    await collections().position.updateOne({ _id: 0 }, { $set: { incarnation: 'a process that died', position: -3 } });
    expect(await store.position()).toEqual({ incarnation: 'a process that died', position: -3 });
    expect(await notaryOf(store).add(eventsOf([1, 2]))).toBe(false);
    await store.clear();
    expect(await notaryOf(store).add(eventsOf([1, 2]))).toBe(true);
    await store.close();
  });

  it('is cleared by the next growth if it has lost nodes', async () => {
    const store = await open();
    const notary = notaryOf(store);
    await notary.add(eventsOf([1, 2]));
    await collections().tile.drop();
    expect(await notary.add(eventsOf([1, 2, 1]).slice(2))).toBe(false);
    expect(await store.position()).toBeUndefined();
    expect(await notaryOf(store).add(eventsOf([1, 2, 1]))).toBe(true);
    await store.close();
  });
});
