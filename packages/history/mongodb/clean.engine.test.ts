import type { RecordedEvent } from '@waymark/domain/event.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { mine, pinpointCreated } from '@waymark/read-models/testing/facts.ts';
import { at, beginning, recorder } from '@waymark/read-models/testing/recorder.ts';
import { describeOn } from '@waymark/test-engines/test-engines.ts';
import { ownHistory } from '../testing/mongodb.ts';
import { cleaned } from '../testing/subject.ts';

jest.setTimeout(120_000);

/** A description of the greatest length, of three bytes a character. */
const longText = '字'.repeat(99_000);
const edits = 400;
const editsTogether = 10;

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
