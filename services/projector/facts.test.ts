import { setTimeout as pause } from 'node:timers/promises';
import { someSigner } from '@waymark/broker/testing/some-records.ts';
import { noIds } from '@waymark/event-log/facts/facts.ts';
import { createFactsKeeper } from '@waymark/event-log/facts/keeper.ts';
import type { KnownLog } from '@waymark/event-log/facts/known-log.ts';
import { openFacts, sealFacts } from '@waymark/event-log/facts/store.ts';
import { memoryFacts } from '@waymark/event-log/testing/memory-facts.ts';
import { factsEveryMs } from './limits.ts';
import { projectorWorlds } from './testing/projectors.ts';
import { waitUntil } from './testing/until.ts';

describe('a projector, of what is known of the log,', () => {
  const worlds = projectorWorlds();
  const newWorld = () => {
    const [world, stored] = [worlds(), memoryFacts()];
    const { log } = world;
    const factsAt = (head: number) => ({ incarnation: log.incarnation(), head, event: '', stream: '', revision: 0, ids: noIds });
    const known: KnownLog = {
      facts: async () => factsAt(log.head()),
      formerNames: async () => [],
      eventAt: async () => undefined,
    };
    const facts = createFactsKeeper({ store: stored.store, name: 'MongoDB', log: known, signer: someSigner });
    return {
      ...world,
      stored,
      startKeeping: () => world.start(1, { facts }),
      headKept: () => openFacts(someSigner, 'model', stored.text())?.head,
      put: (head: number) => stored.put(sealFacts(someSigner, 'model', factsAt(head))),
    };
  };

  it('keeps it up to date beside the read side', async () => {
    const { startKeeping, append, log, headKept } = newWorld();
    append();
    const one = startKeeping();
    await waitUntil('it is kept', () => headKept() === log.head());
    append();
    await waitUntil('it is kept', () => headKept() === log.head());
    await waitUntil('it is ready', () => one.notReady().length === 0);
  });

  it('says that the log was rolled back where nothing else is left of the read side, and leaves what is known', async () => {
    const { startKeeping, append, isLive, log, stored, put } = newWorld();
    append();
    put(log.head() + 1);
    const before = stored.text();
    const one = startKeeping();
    await waitUntil('it is live', () => isLive());
    await waitUntil('it says so', () => one.notReady().some((trouble) => trouble.includes('waymark renew')));
    expect(stored.text()).toBe(before);
  });

  it('writes nothing of it to a read side of another installation', async () => {
    const { startKeeping, append, stored, control } = newWorld();
    append();
    control.takeOver('another');
    const one = startKeeping();
    await waitUntil('it says so', () => one.notReady().join() === 'It belongs to another.');
    await pause(2 * factsEveryMs);
    expect(stored.text()).toBeUndefined();
  });
});
