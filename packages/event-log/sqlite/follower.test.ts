import type { RecordedEvent } from '@waymark/domain/event.ts';
import { type Position, subscriptionEventsMax } from '../event-log.ts';
import { failingOnce, type RecorderMessage } from '../testing/recorder-follower.ts';
import { recorder } from '../testing/recorders.ts';
import { appended, idsOf, newStream, someEvent, someEvents } from '../testing/some-events.ts';
import { temporaryLogs } from '../testing/temporary-logs.ts';
import type { SqliteEventLog } from './event-log.ts';

const { open } = temporaryLogs();

const ask = (log: SqliteEventLog, message: RecorderMessage): Promise<unknown> => log.askFollower(message);
const seenBy = async (log: SqliteEventLog) => (await ask(log, { ask: 'seen' })) as RecordedEvent[];

const followedTo = (log: SqliteEventLog, position: Position): Promise<void> =>
  new Promise((resolve) => {
    const check = (): void => {
      if (log.followed() < position) return;
      unlisten();
      resolve();
    };
    const unlisten = log.onMoved(check);
    check();
  });

const fill = async (count: number): Promise<Position> => {
  const log = await open();
  for (let left = count; left > 0; left -= 500) await log.append(newStream(), someEvents(Math.min(left, 500)), 'none');
  const { head } = await log.state();
  await log.close();
  return head;
};

describe("a follower in the writer's thread", () => {
  it('gets an event that waited too long with the time that the log stores', async () => {
    const log = await open(recorder());
    const stream = newStream();
    const event = someEvent();
    await log.append(stream, [{ ...event, envelope: { ...event.envelope, time: '2019-03-01T08:00:00.000Z' } }], 'none');
    expect(await seenBy(log)).toEqual(await log.read(stream, 0));
  });

  it('has the appended events when the append is acknowledged', async () => {
    const log = await open(recorder());
    for (let nth = 0; nth < 20; nth += 1) {
      const { position } = await appended(log.append(newStream(), someEvents(2), 'none'));
      expect(log.followed()).toBe(position);
    }
  });

  it('receives the events that a read of the log returns, without those that were refused', async () => {
    const log = await open(recorder());
    const stream = newStream();
    const expected = ['none', 0, 'none', 1] as const;
    await Promise.all(expected.map((revision) => log.append(stream, someEvents(1), revision)));
    await log.append(newStream(), someEvents(3), 'none');
    const { state, second } = (await ask(log, { ask: 'state' })) as { state: unknown; second: RecordedEvent[] };
    const seen = await seenBy(log);
    expect(seen).toHaveLength(6);
    expect(seen.slice(0, 3)).toEqual(await log.read(stream, 0));
    expect(second).toEqual(seen.slice(1, 2));
    expect(state).toEqual(await log.state());
  });

  it('catches up at the start, in bounded batches, while appends continue', async () => {
    const head = await fill(3_500);
    const log = await open(recorder());
    const during = await Promise.all(someEvents(10).map((event) => appended(log.append(newStream(), [event], 'none'))));
    const last = during.at(-1)?.position ?? 0;
    expect(last).toBe(head + 10);
    await followedTo(log, last);
    const positions = (await seenBy(log)).map(({ position }) => position);
    const batches = (await ask(log, { ask: 'batches' })) as number[];
    expect(positions).toEqual(Array.from({ length: last }, (_, index) => index + 1));
    expect(Math.max(...batches)).toBeLessThanOrEqual(subscriptionEventsMax);
  });

  it('begins at its position', async () => {
    const head = await fill(1_200);
    const log = await open(recorder({ standsAt: 700 }));
    await followedTo(log, head);
    expect((await seenBy(log)).map(({ position }) => position)[0]).toBe(701);
  });

  it('does not block appends when it fails, is reported, and catches up later', async () => {
    const problems: string[] = [];
    const log = await open({ ...recorder(), onFailure: (of, { message }) => problems.push(`${of}: ${message}`) });
    const first = await appended(log.append(newStream(), [someEvent()], 'none'));
    const events = [someEvent(failingOnce), someEvent()];
    const failing = await appended(log.append(newStream(), events.slice(0, 1), 'none'));
    const { position } = await appended(log.append(newStream(), events.slice(1), 'none'));
    expect(failing.position).toBeGreaterThan(first.position);
    expect(log.followed()).toBe(first.position);
    expect(problems).toEqual(['follower: The recorder failed.']);
    await followedTo(log, position);
    expect(idsOf((await seenBy(log)).slice(1))).toEqual(idsOf(events));
  });

  it('that does not open is opened again', async () => {
    const problems: string[] = [];
    const log = await open({ ...recorder({ failsToOpen: 1 }), onFailure: (_, { message }) => problems.push(message) });
    const { position } = await appended(log.append(newStream(), [someEvent()], 'none'));
    await followedTo(log, position);
    expect(problems).toEqual(['The recorder does not open yet.']);
  });

  it('receives nothing while its position is beyond the end of the log', async () => {
    const problems: string[] = [];
    const log = await open({ ...recorder({ standsAt: 5 }), onFailure: (_, { message }) => problems.push(message) });
    await log.append(newStream(), [someEvent()], 'none');
    expect(await seenBy(log)).toEqual([]);
    expect(problems[0]).toBe('The follower is at position 5, beyond the end of the log at 0.');
  });

  it('accepts a message, and continues from its position after the message', async () => {
    const log = await open(recorder());
    const { position } = await appended(log.append(newStream(), someEvents(10), 'none'));
    expect(await ask(log, { ask: 'stand', at: 4 })).toBe(4);
    await followedTo(log, position);
    expect(await seenBy(log)).toEqual(await collect(log, position));
  });

  it('returns the error of a message that it cannot process', async () => {
    const log = await open(recorder());
    await expect(ask(log, { ask: 'fail' })).rejects.toThrow('The recorder was told to fail.');
    const { position } = await appended(log.append(newStream(), [someEvent()], 'none'));
    await followedTo(log, position);
  });

  it('may be closed while it catches up', async () => {
    const head = await fill(3_500);
    const problems: string[] = [];
    const log = await open({ ...recorder(), onFailure: (_, { message }) => problems.push(message) });
    await log.close();
    expect(log.followed()).toBeLessThan(head);
    expect(problems).toEqual([]);
  });

  it('that does not exist cannot receive a message', async () => {
    const log = await open();
    await expect(log.askFollower('anything')).rejects.toThrow('no follower');
  });
});

const collect = async (log: SqliteEventLog, until: Position): Promise<RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  const abort = new AbortController();
  const keep = async (batch: readonly RecordedEvent[]) => {
    events.push(...batch);
    if (events.at(-1)?.position === until) abort.abort();
  };
  await log.subscribe(0, keep, abort.signal);
  return events;
};
