import { setTimeout as pause } from 'node:timers/promises';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { type EventLog, type Position, subscriptionEventsMax } from '../event-log.ts';
import { appended, idsOf, newStream, someEvent, someEvents } from '../testing/some-events.ts';

/** Subscribes until the event with this id is delivered. Returns all delivered events. */
export const subscribeUntil = async (log: EventLog, after: Position, id: string | undefined): Promise<RecordedEvent[]> => {
  const seen: RecordedEvent[] = [];
  const abort = new AbortController();
  await log.subscribe(
    after,
    async (batch) => {
      seen.push(...batch);
      if (batch.some(({ envelope }) => envelope.id === id)) abort.abort();
    },
    abort.signal,
  );
  return seen;
};

/** The part of the contract that covers `subscribe`. */
export const subscribeContract = (log: () => EventLog) => {
  it('delivers everything from the start, in order', async () => {
    const stream = newStream();
    const events = someEvents(3);
    await log().append(stream, events, 'none');
    const seen = await subscribeUntil(log(), 0, events[2]?.envelope.id);
    const positions = seen.map(({ position }) => position);
    expect(positions).toEqual([...positions].sort((one, other) => one - other));
    expect(seen.filter((event) => event.stream === stream)).toEqual(await log().read(stream, 0));
  }, 60_000); // the log may already hold many events

  it('begins after a position', async () => {
    const stream = newStream();
    const events = someEvents(4);
    const { position } = await appended(log().append(stream, events.slice(0, 2), 'none'));
    await log().append(stream, events.slice(2), 1);
    expect(idsOf(await subscribeUntil(log(), position, events[3]?.envelope.id))).toEqual(idsOf(events.slice(2)));
  });

  it('continues with events that are appended while it waits at the head', async () => {
    const { head } = await log().state();
    const events = someEvents(3);
    const following = subscribeUntil(log(), head, events[2]?.envelope.id);
    for (const event of events) {
      await pause(20);
      await log().append(newStream(), [event], 'none');
    }
    expect(idsOf(await following)).toEqual(idsOf(events));
  });

  it('loses and repeats nothing while there are many simultaneous appends', async () => {
    const { head } = await log().state();
    const last = someEvent();
    const following = subscribeUntil(log(), head, last.envelope.id);
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(someEvents(40).map((event) => log().append(newStream(), [event], 'none')));
    }
    await log().append(newStream(), [last], 'none');
    const seen = idsOf(await following);
    expect(seen).toHaveLength(401);
    expect(new Set(seen).size).toBe(401);
  });

  it('delivers at most subscriptionEventsMax events at once, and waits until they are processed', async () => {
    const { head } = await log().state();
    const batches = Array.from({ length: 12 }, () => someEvents(100));
    await Promise.all(batches.map((events) => log().append(newStream(), events, 'none')));
    const sizes: number[] = [];
    let busy = 0;
    const abort = new AbortController();
    await log().subscribe(
      head,
      async (batch) => {
        busy += 1;
        expect(busy).toBe(1);
        sizes.push(batch.length);
        await pause(10);
        if (sizes.reduce((sum, size) => sum + size, 0) >= 1_200) abort.abort();
        busy -= 1;
      },
      abort.signal,
    );
    expect(Math.max(...sizes)).toBeLessThanOrEqual(subscriptionEventsMax);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1_200);
  });

  it('ends when its signal aborts, at the head as well as in a batch', async () => {
    const { head } = await log().state();
    const waiting = new AbortController();
    const ended = log().subscribe(head, async () => {}, waiting.signal);
    await pause(20);
    waiting.abort();
    await ended;
    await log().subscribe(0, () => Promise.reject(new Error('No event may be delivered.')), AbortSignal.abort());
  });

  it('rejects with the error that the handler threw', async () => {
    const { head } = await log().state();
    await log().append(newStream(), [someEvent()], 'none');
    const failing = log().subscribe(head, () => Promise.reject(new Error('no room')), new AbortController().signal);
    await expect(failing).rejects.toThrow('no room');
  });

  it('serves several subscribers at once, each at its own pace', async () => {
    const { head } = await log().state();
    const events = someEvents(5);
    const last = events[4]?.envelope.id;
    const followers = [subscribeUntil(log(), head, last), subscribeUntil(log(), head, last), subscribeUntil(log(), head, last)];
    for (const event of events) await log().append(newStream(), [event], 'none');
    for (const seen of await Promise.all(followers)) expect(idsOf(seen)).toEqual(idsOf(events));
  });
};
