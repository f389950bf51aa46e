import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { Step } from '@waymark/read-models/mongodb/steps.ts';
import { transactions } from '@waymark/read-models/mongodb/transactions.ts';
import { TransactionTooLarge } from '@waymark/read-models/read-models.ts';
import { added, listCreated, mine, numbers, pinpointCreated, pinpointDeleted, pinpointFields } from '@waymark/read-models/testing/facts.ts';
import { applyAll, at, beginning, recorder } from '@waymark/read-models/testing/recorder.ts';
import { describeOn } from '@waymark/test-engines/test-engines.ts';
import { lookupsFor } from '../projection/needs.ts';
import { ownHistory } from '../testing/mongodb.ts';
import { readLookups } from './lookups.ts';

describeOn(['mongodb'], 'the values that a batch looks up', () => {
  const database = ownHistory();

  it('are those of the fields that it needs, not the long texts that the same event has set', async () => {
    const name = await database.fresh();
    const { record } = recorder();
    const { latitude, longitude } = pinpointFields;
    await applyAll(database.history().generation(name).history.apply, [record(mine, pinpointCreated(1))]);
    const moved = { type: 'PinpointEdited', pinpoint: 1, fields: { latitude: 1 } } as const;
    const event = record(mine, moved);
    const { lookup } = await transactions(database.client())(10_000, (context) =>
      readLookups(database.collections(name), { ...lookupsFor(event, moved), knownClocks: new Map() }, context),
    );
    expect(lookup.values(event.stream, ['latitude', 'longitude', 'name', 'description'])).toEqual({ latitude, longitude });
  });
});

describeOn(['mongodb'], 'deletions of pinpoints that are in many lists', () => {
  const database = ownHistory();

  it('are refused in one transaction that would end too many memberships, and are applied in smaller ones', async () => {
    const { applyTogether, history } = database.history().generation(await database.fresh());
    const { record } = recorder();
    const pinpoints = numbers(1, 30);
    const lists = numbers(1, 100);
    const created = [
      ...pinpoints.map((id) => record(mine, pinpointCreated(id))),
      ...lists.map((id) => record(mine, listCreated(id))),
      ...lists.map((list) => record(mine, added(list, ...pinpoints))),
    ];
    const deleted = pinpoints.map((id) => record(mine, pinpointDeleted(id)));
    await applyAll(history.apply, created, [20]);
    const after = created.at(-1)?.position ?? 0;
    const step = (events: readonly RecordedEvent[]): Step => ({ partition: 0, after, events, to: events.map(at).at(-1) ?? beginning });
    await expect(applyTogether([step(deleted)])).rejects.toThrow(TransactionTooLarge);
    expect(await applyTogether([step(deleted.slice(0, 20))])).toBe(true);
  });
});
