import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Growth } from '@waymark/proof-store/proof-store.ts';
import { openSqliteProofStore } from '@waymark/proof-store/sqlite/proof-store.ts';
import { eventsOf } from '@waymark/proof-store/testing/events.ts';
import { createAccountTrees } from './account-trees.ts';
import { storeStepEvents } from './limits.ts';
import { openStoreFeed } from './store-feed.ts';

describe('the feed of a proof store', () => {
  it('adds events in large steps, however few come at once, and the rest when asked to', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-feed-'));
    const store = openSqliteProofStore(join(folder, 'proofs.db'));
    try {
      const sizes: number[] = [];
      const apply = (growth: Growth): Promise<boolean> => {
        sizes.push(growth.leaves.length);
        return store.apply(growth);
      };
      const trees = createAccountTrees([]);
      const feed = await openStoreFeed({ ...store, apply }, 'log', async () => 0, false);
      const events = eventsOf(Array.from({ length: storeStepEvents + 2 }, (_, nth) => nth % 3));
      for (const event of events) {
        feed.take(event, trees.add(event));
        await feed.addFull();
      }
      expect(sizes).toEqual([storeStepEvents]);
      await feed.addRest();
      expect(sizes).toEqual([storeStepEvents, 2]);
      expect(await store.position()).toEqual({ incarnation: 'log', position: events.at(-1)?.position });
    } finally {
      store.close();
      rmSync(folder, { recursive: true });
    }
  });
});
