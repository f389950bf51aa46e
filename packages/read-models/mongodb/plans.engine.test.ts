import type { PageQuery } from '@waymark/domain/pages.ts';
import { resourceKinds } from '@waymark/domain/streams.ts';
import { describeOn } from '@waymark/test-engines/test-engines.ts';
import type { CommandStartedEvent, MongoClient } from 'mongodb';
import { pageBytesMax } from '../page-size.ts';
import { added, happeningCreated, listCreated, mine, numbers, pinpointCreated, pinpointDeleted } from '../testing/facts.ts';
import { ownDatabase } from '../testing/mongodb.ts';
import { explained, slowStages, stagesOf } from '../testing/plans.ts';
import { applyAll, recorder } from '../testing/recorder.ts';
import { collectionsOf } from './collections.ts';
import { createFind } from './find.ts';
import { createPages } from './pages.ts';
import { type InTransaction, transactions } from './transactions.ts';

/** A limit that only catches hangs: these tests check the queries, not how long they take on this machine. */
const withinMs = 300_000;
const patient = (client: MongoClient): InTransaction => {
  const inTransaction = transactions(client);
  return (_, body) => inTransaction(withinMs, body);
};

describeOn(['mongodb'], 'the queries of MongoDB read models', () => {
  const database = ownDatabase();
  let ask: { readonly page: ReturnType<typeof createPages>; readonly find: ReturnType<typeof createFind> };

  beforeAll(async () => {
    const { record } = recorder();
    const { name, models } = await database.fresh();
    const facts = [...numbers(1, 60).map((id) => pinpointCreated(id)), listCreated(1), added(1, ...numbers(1, 60)), pinpointDeleted(30)];
    const standing = numbers(1, 60).map((id) => happeningCreated(id, 1));
    await applyAll(
      models.apply,
      [...facts, ...standing].map((fact) => record(mine, fact)),
    );
    const collections = collectionsOf(database.client().db(database.name), name);
    ask = { page: createPages(collections, patient(database.client())), find: createFind(collections) };
  });

  const plansOf = (asking: () => Promise<unknown>) => explained(database.client(), database.name, asking);

  /** Returns the commands that `asking` sends, with their batch sizes. */
  const batchesOf = async (asking: () => Promise<unknown>): Promise<readonly string[]> => {
    const client = database.client();
    const asked: string[] = [];
    const listen = ({ commandName, command }: CommandStartedEvent) => {
      if (/^(find|getMore|killCursors)$/.test(commandName)) asked.push([commandName, command['batchSize'] ?? ''].join(' ').trim());
    };
    client.on('commandStarted', listen);
    try {
      await asking();
    } finally {
      client.off('commandStarted', listen);
    }
    return asked;
  };

  const kinds: readonly Pick<PageQuery, 'kind' | 'within'>[] = [
    ...resourceKinds.map((kind) => ({ kind, within: null })),
    { kind: 'pinpoint', within: 1 },
    { kind: 'happening', within: 1 },
  ];
  const cases = kinds.flatMap((asked) =>
    (['forward', 'backward'] as const).flatMap((direction) =>
      // From the beginning; from a present item; from a deleted item, which needs a query of the other side; from the end.
      [0, 20, 30, 61, Number.MAX_SAFE_INTEGER].map((from): PageQuery => ({ ...asked, account: mine, direction, from, limit: 5 })),
    ),
  );

  it.each(cases)('page $kind within $within, $direction from $from, by tight ranges of an index', async (query) => {
    const asked = await plansOf(() => ask.page(query));
    expect(asked.length).toBeGreaterThan(0);
    for (const { question, plan } of asked) {
      expect([question, slowStages(plan)]).toEqual([question, []]);
      expect(stagesOf(plan).some(({ stage }) => /IXSCAN|IDHACK/.test(stage))).toBe(true);
    }
  });

  it('page an account with one query, in both directions, where the item that the page starts after still exists', async () => {
    for (const direction of ['forward', 'backward'] as const) {
      const query: PageQuery = { kind: 'pinpoint', within: null, account: mine, direction, from: 20, limit: 5 };
      expect(await plansOf(() => ask.page(query))).toHaveLength(1);
      expect(await plansOf(() => ask.page({ ...query, from: 30 }))).toHaveLength(2);
    }
  });

  it('read a small page in one batch, and of a large page nothing beyond the batch in which it becomes full', async () => {
    const { record } = recorder();
    const { name, models } = await database.fresh();
    const facts = numbers(1, 200).map((id) => record(mine, pinpointCreated(id)));
    await applyAll(models.apply, [...facts, record(mine, listCreated(1)), record(mine, added(1, ...numbers(1, 200)))]);
    const collections = collectionsOf(database.client().db(database.name), name);
    const page = createPages(collections, patient(database.client()));
    const query: PageQuery = { kind: 'pinpoint', within: null, account: mine, direction: 'forward', from: 0, limit: 20 };

    expect(await batchesOf(() => page(query))).toEqual(['find 23']);
    expect(await batchesOf(() => page({ ...query, limit: 80 }))).toEqual(['find 32', 'getMore 32', 'getMore 18']);
    await collections.pinpoint.updateMany({ shown: true }, { $set: { text: 'x'.repeat(pageBytesMax / 10) } });
    expect(await batchesOf(() => page({ ...query, limit: 500 }))).toEqual(['find 32', 'killCursors']);
    // The list itself, the ids of its members, and the first texts.
    expect(await batchesOf(() => page({ ...query, within: 1, limit: 500 }))).toEqual(['find', 'find 503', 'find 33']);
  });

  it('find all documents requested in one tick with one query', async () => {
    const asked = await plansOf(() => Promise.all(numbers(1, 100).map((id) => ask.find('pinpoint', id))));
    expect(asked).toHaveLength(1);
    for (const { plan } of asked) expect(slowStages(plan)).toEqual([]);
  });
});
