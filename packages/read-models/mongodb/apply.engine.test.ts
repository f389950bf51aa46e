import type { RecordedEvent } from '@waymark/domain/event.ts';
import { partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { describeOn } from '@waymark/test-engines/test-engines.ts';
import { ReadModelsUnavailable, TransactionTooLarge } from '../read-models.ts';
import { added, listCreated, mine, numbers, pinpointCreated, pinpointDeleted, pinpointFields } from '../testing/facts.ts';
import { ownDatabase } from '../testing/mongodb.ts';
import { applyAll, at, beginning, recorder } from '../testing/recorder.ts';
import { eventsTogetherMax } from './limits.ts';
import { openMongoReadSide, type Step } from './read-side.ts';

describe('steps of a generation', () => {
  const side = openMongoReadSide({ url: 'mongodb://127.0.0.1:1/?replicaSet=none', database: 'none' });
  afterAll(side.close);
  const { applyTogether } = side.generation('1-none');

  const event = recorder().record(mine, pinpointCreated(1));
  const step = (partition: number, events = 0, position = 1): Step => ({
    partition,
    after: 0,
    events: Array.from({ length: events }, () => event),
    to: { ...beginning, position },
  });

  it.each<[string, readonly Step[]]>([
    ['two of the same partition', [step(0), step(0)]],
    ['more events than the maximum of one transaction', [step(0, eventsTogetherMax + 1)]],
    ['more events together than the maximum of one transaction', [step(0, eventsTogetherMax / 2), step(1, eventsTogetherMax / 2 + 1)]],
    ['a position that is not an integer', [step(0), step(1, 0, 0.5)]],
    ['a position that is too large', [step(0, 0, 2 ** 53)]],
  ])('are refused before MongoDB is called: %s', async (_, steps) => {
    await expect(applyTogether(steps)).rejects.toThrow(RangeError);
  });

  it('are sent up to that number of events', async () => {
    await expect(applyTogether([step(0, eventsTogetherMax / 2), step(1, eventsTogetherMax / 2)])).rejects.toThrow(ReadModelsUnavailable);
  });

  it('succeed without a call where there are none', async () => {
    expect(await applyTogether([])).toBe(true);
  });
});

describeOn(['mongodb'], 'the first steps of a generation', () => {
  const database = ownDatabase();

  it('name no previous event, and are refused where they name one', async () => {
    const { applyTogether, positions } = await database.fresh();
    const first = numbers(0, partitionsOfCluster - 1).map((partition) => ({ partition, after: 0, events: [], to: beginning }));
    expect(await applyTogether(first.map((one) => ({ ...one, afterEvent: 'another' })))).toBe(false);
    expect(await positions()).toEqual(first.map(() => undefined));
    expect(await applyTogether(first.map((one) => ({ ...one, afterEvent: '' })))).toBe(true);
    expect(await positions()).toEqual(first.map(() => beginning));
  });
});

describeOn(['mongodb'], 'small edits of long documents', () => {
  const database = ownDatabase();

  it('are refused in one transaction where all texts would be in memory, and are applied in smaller ones', async () => {
    const { applyTogether, models } = await database.fresh();
    const { record } = recorder();
    const ids = numbers(1, 90);
    const fields = { ...pinpointFields, description: 'x'.repeat(100_000) };
    const created = ids.map((id) => record(mine, { ...pinpointCreated(id), fields }));
    const edited = ids.map((id) => record(mine, { type: 'PinpointEdited', pinpoint: id, fields: { name: `Edited ${id}.` } }));
    await applyAll(models.apply, created, [30]);
    const after = created.at(-1)?.position ?? 0;
    const step = (events: readonly RecordedEvent[]): Step => ({ partition: 0, after, events, to: events.map(at).at(-1) ?? beginning });
    await expect(applyTogether([step(edited)])).rejects.toThrow(TransactionTooLarge);
    expect(await applyTogether([step(edited.slice(0, 60))])).toBe(true);
    expect((await models.find('pinpoint', 60))?.text).toContain('Edited 60.');
  });
});

describeOn(['mongodb'], 'deletions of pinpoints that are in many lists', () => {
  const database = ownDatabase();

  it('are refused in one transaction that would hide too many memberships, and are applied in smaller ones', async () => {
    const { applyTogether, models } = await database.fresh();
    const { record } = recorder();
    const pinpoints = numbers(1, 60);
    const lists = numbers(1, 100);
    const created = [
      ...pinpoints.map((id) => record(mine, pinpointCreated(id))),
      ...lists.map((id) => record(mine, listCreated(id))),
      ...lists.map((list) => record(mine, added(list, ...pinpoints))),
    ];
    const deleted = pinpoints.map((id) => record(mine, pinpointDeleted(id)));
    await applyAll(models.apply, created, [20]);
    const after = created.at(-1)?.position ?? 0;
    const step = (events: readonly RecordedEvent[]): Step => ({ partition: 0, after, events, to: events.map(at).at(-1) ?? beginning });
    await expect(applyTogether([step(deleted)])).rejects.toThrow(TransactionTooLarge);
    expect(await applyTogether([step(deleted.slice(0, 50))])).toBe(true);
  });
});
