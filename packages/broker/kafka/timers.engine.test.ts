import { setTimeout as pause } from 'node:timers/promises';
import { describeOn } from '@waymark/test-engines/test-engines.ts';
import { openTopics } from '../testing/kafka.ts';
import { someRecords } from '../testing/some-records.ts';

describeOn(['kafka'], 'the patched Kafka client', () => {
  const topics = openTopics();
  afterEach(() => topics.closed());

  it('sets no timers while it is idle', async () => {
    const records = await topics.made();
    await records.send(someRecords(0, 1));
    const armed = jest.spyOn(globalThis, 'setTimeout');
    await pause(1_000);
    // Unpatched, an idle producer sets about 900 timers a second.
    expect(armed.mock.calls.length).toBeLessThan(10);
    armed.mockRestore();
  });

  it('sets no timers with a negative delay', async () => {
    const records = await topics.made();
    const armed = jest.spyOn(globalThis, 'setTimeout');
    await records.send(someRecords(0, 1));
    await records.last();
    expect(armed.mock.calls.filter(([, ms]) => Number(ms) < 0)).toEqual([]);
    armed.mockRestore();
  });
});
