import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { someEvent } from '@waymark/event-log/testing/some-events.ts';
import { watchClock } from './clock-watch.ts';

describe('a process that reads events', () => {
  const warned = async (aheadMs: number): Promise<readonly unknown[]> => {
    const warnings: unknown[] = [];
    const logger = { warn: (...words: unknown[]) => void warnings.push(words) };
    const time = new Date(Date.now() + aheadMs).toISOString();
    const event: RecordedEvent = { ...someEvent(), stream: 'pinpoint-1', revision: 0, position: 1 };
    const events = [{ ...event, envelope: { ...event.envelope, time } }];
    const log = watchClock<Pick<EventLog, 'read'>>({ read: async () => events }, logger);
    for (let times = 0; times < 3; times += 1) expect(await log.read('pinpoint-1', 0)).toBe(events);
    return warnings;
  };

  it('warns that its clock is behind, now and then', async () => {
    expect(await warned(60_000)).toEqual([[{ behindMs: expect.any(Number) }, 'the clock of this process is behind the time of an event']]);
  });

  it.each([-60_000, 0, 3_000])('does not warn where an event is %d ms ahead', async (aheadMs) => {
    expect(await warned(aheadMs)).toEqual([]);
  });
});
