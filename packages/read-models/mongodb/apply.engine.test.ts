import { partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { describeOn } from '@waymark/test-engines/test-engines.ts';
import { ReadModelsUnavailable } from '../read-models.ts';
import { mine, numbers, pinpointCreated } from '../testing/facts.ts';
import { ownDatabase } from '../testing/mongodb.ts';
import { beginning, recorder } from '../testing/recorder.ts';
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
