import { createMongoClient } from '@waymark/read-models/mongodb/client.ts';
import { namespaceIn } from '@waymark/read-models/mongodb/namespace.ts';
import { explained, type Plan, stagesOf } from '@waymark/read-models/testing/plans.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import type { MongoClient } from 'mongodb';
import type { ProofReads } from '../proof-store.ts';
import { eventsOf } from '../testing/events.ts';
import { notaryOf, signerOf } from '../testing/notary.ts';
import { proofCollections, proofPrefix } from './collections.ts';
import { openMongoProofStore } from './proof-store.ts';
import { mongoReads } from './reads.ts';

/** Returns the stages that read more than ranges of an index. */
const slowStages = (plan: Plan): string[] =>
  stagesOf(plan).flatMap(({ stage, filter }) => {
    if (!/^(LIMIT|FETCH|IXSCAN|IDHACK|EXPRESS_IXSCAN|PROJECTION_\w+)$/.test(stage)) return [stage];
    return filter === undefined ? [] : [`${stage} filters ${JSON.stringify(filter)}`];
  });

describeOn(['mongodb'], 'the queries of a proof store in MongoDB', () => {
  const database = ownName('proof-plans');
  let client: MongoClient;
  let origin = '';
  beforeAll(async () => {
    client = createMongoClient({ url: urlOf('mongodb') }, { monitorCommands: true });
    const store = openMongoProofStore({ url: urlOf('mongodb'), database });
    await store.ensure();
    const notary = notaryOf(store);
    const events = eventsOf(Array.from({ length: 400 }, (_, nth) => 1 + (nth % 2)));
    for (let from = 0; from < events.length; from += 100) {
      await notary.add(events.slice(from, from + 100));
      ({ origin } = await notary.sign({ key: signerOf(2).verifierKey }));
    }
    await store.close();
  });
  afterAll(async () => {
    await client.db(database).dropDatabase();
    await client.close();
  });

  it.each<[string, (reads: ProofReads) => Promise<unknown>]>([
    ['latest', ({ latest }) => latest()],
    ['checkpoints', ({ checkpoints }) => checkpoints(origin, [1, 3])],
    ['milestones', ({ milestones }) => milestones()],
    ['roots', ({ roots }) => roots(3)],
    [
      'tiles',
      ({ tiles }) =>
        tiles(
          'account-1',
          [0, 1, 2].map((index) => ({ level: 0, index })),
        ),
    ],
    ['leaves', ({ leaves }) => leaves('account-1', 70)],
    ['leavesOf', ({ leavesOf }) => leavesOf('account-1', 'pinpoint-1000', 3)],
  ])('%s read ranges of an index', async (_, read) => {
    const reads = mongoReads(proofCollections(namespaceIn(client.db(database), proofPrefix)));
    const asked = await explained(client, database, () => read(reads));
    expect(asked.length).toBeGreaterThan(0);
    for (const { question, plan } of asked) {
      expect([question, slowStages(plan)]).toEqual([question, []]);
      expect(stagesOf(plan).some(({ stage }) => /IXSCAN|IDHACK/.test(stage))).toBe(true);
    }
  });
});
