import { setTimeout as pause } from 'node:timers/promises';
import { someSigner } from '@waymark/broker/testing/some-records.ts';
import { noIds } from '@waymark/event-log/facts/facts.ts';
import { createFactsKeeper } from '@waymark/event-log/facts/keeper.ts';
import type { KnownLog } from '@waymark/event-log/facts/known-log.ts';
import { openFacts, sealFacts } from '@waymark/event-log/facts/store.ts';
import { memoryFacts } from '@waymark/event-log/testing/memory-facts.ts';
import { factsEveryMs } from './limits.ts';
import { projectorSetups } from './testing/projectors.ts';
import { waitUntil } from './testing/until.ts';

describe('a projector that keeps the known facts of the log', () => {
  const worlds = projectorSetups();
  const newSetup = () => {
    const [clusterContext, stored] = [worlds(), memoryFacts()];
    const { log } = clusterContext;
    const factsAt = (head: number) => ({ incarnation: log.incarnation(), head, event: '', stream: '', revision: 0, ids: noIds });
    const known: KnownLog = {
      facts: async () => factsAt(log.head()),
      formerNames: async () => [],
      eventAt: async () => undefined,
    };
    const facts = createFactsKeeper({ store: stored.store, name: 'MongoDB', log: known, signer: someSigner });
    return {
      ...clusterContext,
      stored,
      startKeeping: () => clusterContext.start(1, { facts }),
      headKept: () => openFacts(someSigner, 'model', stored.text())?.head,
      put: (head: number) => stored.put(sealFacts(someSigner, 'model', factsAt(head))),
    };
  };

  it('updates the facts next to the read models', async () => {
    const { startKeeping, append, log, headKept } = newSetup();
    append();
    const one = startKeeping();
    await waitUntil('the head is stored', () => headKept() === log.head());
    append();
    await waitUntil('the head is stored', () => headKept() === log.head());
    await waitUntil('the projector is ready', () => one.notReady().length === 0);
  });

  it('reports that the log was rolled back if only the facts remain of the read models, and leaves the facts unchanged', async () => {
    const { startKeeping, append, isLive, log, stored, put } = newSetup();
    append();
    put(log.head() + 1);
    const before = stored.text();
    const one = startKeeping();
    await waitUntil('the generation is live', () => isLive());
    await waitUntil('the projector reports it', () => one.notReady().some((trouble) => trouble.includes('waymark renew')));
    expect(stored.text()).toBe(before);
  });

  it('writes no facts to read models of another installation', async () => {
    const { startKeeping, append, stored, control } = newSetup();
    append();
    control.takeOver('another');
    const one = startKeeping();
    await waitUntil('the projector reports it', () => one.notReady().join() === 'The read models belong to another.');
    await pause(2 * factsEveryMs);
    expect(stored.text()).toBeUndefined();
  });
});
