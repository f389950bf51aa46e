import { transactions } from '@waymark/read-models/mongodb/transactions.ts';
import { mine, pinpointCreated, pinpointFields } from '@waymark/read-models/testing/facts.ts';
import { applyAll, recorder } from '@waymark/read-models/testing/recorder.ts';
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
    const { lookup } = await transactions(database.client())(10_000, (at) =>
      readLookups(database.collections(name), { ...lookupsFor(event, moved), knownClocks: new Map() }, at),
    );
    expect(lookup.values(event.stream, ['latitude', 'longitude', 'name', 'description'])).toEqual({ latitude, longitude });
  });
});
