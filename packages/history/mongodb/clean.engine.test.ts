import type { RecordedEvent } from '@waymark/domain/event.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { transactions } from '@waymark/read-models/mongodb/transactions.ts';
import { ReadModelsUnavailable } from '@waymark/read-models/read-models.ts';
import { added, listCreated, mine, numbers, pinpointCreated } from '@waymark/read-models/testing/facts.ts';
import { applyAll, at, beginning, recorder } from '@waymark/read-models/testing/recorder.ts';
import { describeOn } from '@waymark/test-engines/test-engines.ts';
import { ownHistory } from '../testing/mongodb.ts';
import { cleaned } from '../testing/subject.ts';
import { mongoCleaning } from './clean.ts';
import type { Collections } from './collections.ts';

jest.setTimeout(120_000);

/** A description of the greatest length, of three bytes a character. */
const longText = '字'.repeat(99_000);
const edits = 400;
const editsTogether = 10;

const members = 600;
/** The rows of a step that a slow server writes in time. */
const rowsInTime = 5;
const failuresMax = members / rowsInTime;

/** Returns the collections of a server that does not end a step of many rows in time. */
const slow = (collections: Collections): Collections => {
  const failing = (rows: readonly unknown[]): void => {
    if (rows.length > rowsInTime) throw new ReadModelsUnavailable('MongoDB: the time limit was exceeded.');
  };
  const interval = new Proxy(collections.interval, {
    get: (target, name) => {
      if (name !== 'bulkWrite') return Reflect.get(target, name);
      return async (...parameters: Parameters<typeof target.bulkWrite>) => {
        failing(parameters[0]);
        return target.bulkWrite(...parameters);
      };
    },
  });
  return { ...collections, interval };
};

describeOn(['mongodb'], 'the cleaning of a list with many members in a slow MongoDB', () => {
  const database = ownHistory();

  it('ends: a step that fails is repeated with fewer rows', async () => {
    const name = await database.fresh();
    const { record } = recorder();
    const pinpoints = numbers(1, members);
    const facts = [...pinpoints.map((id) => pinpointCreated(id)), listCreated(1), added(1, ...pinpoints)];
    const restated = { ...sampleEvents.ListMembersRestated, list: 1, from: 1, to: members, members: pinpoints };
    const redacted = { ...sampleEvents.ListRedacted, account: mine, list: 1, restatedFrom: 2 };
    const events = [...facts, restated, redacted].map((fact) => record(mine, fact));
    await applyAll(database.history().generation(name).history.apply, events);
    const steps = mongoCleaning(slow(database.collections(name)), transactions(database.client()));
    let failures = 0;
    for await (const failure of steps) {
      failures += failure === undefined ? 0 : 1;
      if (failures > failuresMax) break;
    }
    expect(failures).toBeGreaterThan(0);
    expect(failures).toBeLessThan(failuresMax);
    const { interval, mark } = database.collections(name);
    expect(await mark.countDocuments({ clean: false })).toBe(0);
    expect(await interval.distinct('since', { within: 'list-1' })).toEqual([events.at(-2)?.position]);
  });
});

describeOn(['mongodb'], 'an erasure of many long texts in MongoDB', () => {
  const database = ownHistory();

  it('is cleaned, although one transaction could not hold all of them', async () => {
    const name = await database.fresh();
    const { history } = database.history().generation(name);
    const { record } = recorder();
    let reached = beginning;
    const apply = async (events: readonly RecordedEvent[]): Promise<void> => {
      const to = at(events.at(-1) as RecordedEvent);
      expect(await history.apply(0, reached.position, events, to)).toBe(true);
      reached = to;
    };
    const edit = () => record(mine, { ...sampleEvents.PinpointEdited, pinpoint: 1, fields: { description: longText } });
    await apply([record(mine, pinpointCreated(1))]);
    for (let done = 0; done < edits; done += editsTogether) await apply(Array.from({ length: editsTogether }, edit));
    await apply([record(mine, { ...sampleEvents.PinpointRedacted, account: mine, pinpoint: 1 })]);
    await cleaned(history);
    expect(await database.collections(name).entry.countDocuments({ stream: 'pinpoint-1', value: { $ne: null } })).toBe(1);
  });
});
