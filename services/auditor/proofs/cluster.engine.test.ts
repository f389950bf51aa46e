import { randomUUID } from 'node:crypto';
import { erase } from '@waymark/event-log/erasure/erase.ts';
import { openEventStoreLog } from '@waymark/event-log/eventstoredb/event-log.ts';
import { unallocatedFrom } from '@waymark/event-log/testing/some-events.ts';
import { openMongoProofStore } from '@waymark/proof-store/mongodb/proof-store.ts';
import { createMongoClient } from '@waymark/read-models/mongodb/client.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { edits, fetchPages, openProofHistory, type ProofHistory, verified } from '../testing/proof-history.ts';
import { pageEventsMax } from './limits.ts';

describeOn(['eventstore', 'mongodb'], 'the proofs of a cluster', () => {
  const database = ownName('auditor-proofs');
  const own = randomUUID().replaceAll('-', '');
  const first = unallocatedFrom + Math.floor(Math.random() * 2 ** 50);
  let history: ProofHistory;
  beforeAll(async () => {
    const [url, log] = [urlOf('mongodb'), openEventStoreLog({ url: urlOf('eventstore') })];
    const store = openMongoProofStore({ url, database });
    await store.ensure();
    const close = async (): Promise<void> => {
      const client = createMongoClient({ url });
      await client.db(database).dropDatabase();
      await Promise.all([client.close(), store.close(), log.close()]);
    };
    history = await openProofHistory({ log, store, close });
  });
  afterAll(() => history.close());

  const get = (url: string) => history.get(url, { as: own });
  const grow = async (count: number): Promise<void> => {
    await history.record(...edits(count, 3, first).map((edit) => ({ ...edit, of: own })));
    await history.follow();
    await history.notary.sign();
  };

  it('verify: exports of the account and of an object, in pages, and single proofs', async () => {
    await grow(pageEventsMax + 50);
    await grow(30);
    const account = await fetchPages(get, '/audit/v1/export?checkpoint=1');
    expect(account.pages).toBe(2);
    expect(await verified(account.text)).toMatchObject({ sound: true, findings: [], events: pageEventsMax + 80 });
    const object = await fetchPages(get, `/audit/v1/pinpoints/${first}/export`);
    expect(await verified(object.text)).toMatchObject({ sound: true, findings: [], object: `pinpoint-${first}` });
    for (const path of [`inclusion?kind=pinpoints&id=${first}&revision=3`, 'consistency?from=1'])
      expect(await get(`/audit/v1/proofs/${path}`)).toMatchObject({ status: 200 });
  });

  it('verify after an erasure, once a checkpoint covers it', async () => {
    await erase(history.log, `pinpoint-${first}`);
    await grow(1);
    const { text } = await fetchPages(get, `/audit/v1/pinpoints/${first}/export`);
    expect(await verified(text)).toMatchObject({ sound: true, findings: [], erased: expect.any(Number) });
  });
});
