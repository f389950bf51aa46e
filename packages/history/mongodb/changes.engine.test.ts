import type { RecordedEvent } from '@waymark/domain/event.ts';
import { transactions } from '@waymark/read-models/mongodb/transactions.ts';
import { examinedKeys } from '@waymark/read-models/testing/plans.ts';
import { applyAll } from '@waymark/read-models/testing/recorder.ts';
import { describeOn } from '@waymark/test-engines/test-engines.ts';
import { ownHistory } from '../testing/mongodb.ts';
import { largeAccount, pageReadsMax, readPage, widePages } from '../testing/wide-changes.ts';
import type { Collections } from './collections.ts';
import { createReads } from './reads.ts';
import { openSnapshot } from './snapshot.ts';

/** A limit that only catches hangs. */
const withinMs = 300_000;

describeOn(['mongodb'], 'a page of changes from MongoDB', () => {
  const database = ownHistory();
  let collections: Collections;
  let events: readonly RecordedEvent[];

  beforeAll(async () => {
    events = largeAccount();
    const name = await database.fresh();
    collections = database.collections(name);
    await applyAll(database.history().generation(name).history.apply, events, [1_000]);
  }, withinMs);

  it.each(widePages)('of %s examines few keys', async (_, list, fromEnd) => {
    let lines = 0;
    const keys = await examinedKeys(database.client(), database.name, () =>
      transactions(database.client())(withinMs, async (at) => {
        lines = await readPage(createReads(openSnapshot(collections, at)), events, list, fromEnd);
      }),
    );
    expect(lines).toBe(20);
    expect(keys).toBeLessThanOrEqual(pageReadsMax);
  });
});
