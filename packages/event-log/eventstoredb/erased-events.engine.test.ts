import type { RecordedEvent } from '@waymark/domain/event.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { describeOn } from '@waymark/test-engines/test-engines.ts';
import { subscribeUntil } from '../contract/subscribe.ts';
import { erase } from '../erasure/erase.ts';
import { planErasure, recordErasure } from '../erasure/erased-streams.ts';
import { summarize } from '../erasure/erasure-summary.ts';
import { type EventLog, LogUnavailable, type Position, subscriptionEventsMax } from '../event-log.ts';
import { eventStore } from '../testing/eventstore.ts';
import { appended, newStream, someFact } from '../testing/some-events.ts';
import { temporaryLogs } from '../testing/temporary-logs.ts';
import { createErasedReads, withErasedEvents } from './erased-events.ts';
import type { SubscribeTo } from './subscribe.ts';

const { PinpointCreated, PinpointEdited } = sampleEvents;
const never = new AbortController().signal;

describeOn(['eventstore'], 'an event that is recorded as erased, but not yet dropped from EventStoreDB', () => {
  const { log } = eventStore();

  it('is delivered without content and salt', async () => {
    const [one, stream] = [log(), newStream()];
    const { head } = await one.state();
    const pinpoint = idIn(stream);
    await one.append(
      stream,
      [PinpointCreated, PinpointEdited, PinpointEdited].map((fact) => someFact({ ...fact, pinpoint })),
      'none',
    );
    const summary = await summarize(one, stream, 2);
    await recordErasure(one, await planErasure(one.read, stream, 2, summary));
    const events = await one.read(stream, 0);
    const bare = events.map((event) => (event.revision < 2 ? { ...event, salt: null, content: null } : event));
    expect(events[0]?.content).not.toBeNull();
    const seen = await subscribeUntil(one, head, events[2]?.envelope.id);
    expect(seen.filter((event) => event.stream === stream)).toEqual(bare);
    expect(await one.eraseBefore(stream, 2, summary)).toBe('truncated');
    expect(await one.read(stream, 0)).toEqual(bare);
  });
});

const idIn = (stream: string): number => Number(stream.split('-')[1]);

describe('an event that a scavenge has removed from EventStoreDB', () => {
  const { open } = temporaryLogs();

  /** Returns a log with several erased streams (`log`), the events that a scavenge leaves (`kept`), and the events that must be delivered
   * (`all`). */
  const scavenged = async () => {
    const log = await open();
    const streams = Array.from({ length: 6 }, newStream);
    const long = streams[0] ?? '';
    for (let round = 0; round < 5; round += 1) {
      for (const stream of streams) {
        await appended(
          log.append(
            stream,
            [someFact({ ...(round === 0 ? PinpointCreated : PinpointEdited), pinpoint: idIn(stream) })],
            round === 0 ? 'none' : round - 1,
          ),
        );
      }
    }
    const many = Array.from({ length: 2 * subscriptionEventsMax }, () => someFact({ ...PinpointEdited, pinpoint: idIn(long) }));
    for (let from = 0; from < many.length; from += 1_000) await appended(log.append(long, many.slice(from, from + 1_000), 4 + from));
    for (const stream of [...streams.slice(0, 3), ...streams.slice(1, 2)]) await erase(log, stream);
    const end = someFact(PinpointCreated);
    await appended(log.append(newStream(), [end], 'none'));
    const all = await subscribeUntil(log, 0, end.envelope.id);
    return { log, all, kept: all.filter(({ content }) => content !== null), long };
  };

  const followOf =
    (kept: readonly RecordedEvent[], size: number): SubscribeTo =>
    async (after, handle) => {
      const events = kept.filter(({ position }) => position > after);
      for (let start = 0; start < events.length; start += size) {
        const part = events.slice(start, start + size);
        await handle({ events: part, through: part.at(-1)?.position ?? after });
      }
    };

  const deliver = async (follow: SubscribeTo, after: Position) => {
    const [events, throughs]: [RecordedEvent[], Position[]] = [[], []];
    await follow(
      after,
      async (passed) => {
        expect(passed.events.length).toBeLessThanOrEqual(subscriptionEventsMax);
        events.push(...passed.events);
        throughs.push(passed.through);
      },
      never,
    );
    expect(throughs).toEqual([...throughs].sort((one, other) => one - other));
    return events;
  };

  it('is delivered from its summary, in its place, from any start position', async () => {
    const { log, all, kept } = await scavenged();
    expect(kept.length).toBeLessThan(all.length - 2 * subscriptionEventsMax);
    for (const size of [1, 7, 1_000]) {
      const follow = withErasedEvents(followOf(kept, size), log.read, never);
      for (const after of [0, kept[3]?.position ?? 0, all[20]?.position ?? 0, all[1_500]?.position ?? 0]) {
        expect(await deliver(follow, after)).toEqual(all.filter(({ position }) => position > after));
      }
    }
  });

  it('is delivered once the log is available again, and the subscription ends when its signal aborts', async () => {
    const { log, all, kept } = await scavenged();
    let questions = 0;
    const flaky: EventLog['read'] = (...asked) => {
      questions += 1;
      return questions % 2 === 1 ? Promise.reject(new LogUnavailable('away')) : log.read(...asked);
    };
    expect(await deliver(withErasedEvents(followOf(kept, 10_000), flaky, never), 0)).toEqual(all);
    const unavailable: EventLog['read'] = () => Promise.reject(new LogUnavailable('away'));
    const stop = new AbortController();
    const follow = withErasedEvents(followOf(kept, 7), unavailable, never)(0, () => Promise.reject(new Error('nothing')), stop.signal);
    stop.abort();
    await follow;
    const closing = withErasedEvents(followOf(kept, 7), unavailable, AbortSignal.abort())(0, async () => {}, never);
    await expect(closing).rejects.toThrow(LogUnavailable);
  });

  it('is read from its summary, too', async () => {
    const { log, kept, long } = await scavenged();
    const left: EventLog['read'] = async (stream, from) =>
      stream.startsWith('pinpoint-') ? kept.filter((event) => event.stream === stream && event.revision >= from) : log.read(stream, from);
    const read = createErasedReads(left);
    for (const from of [0, 3, 1_990, 2_004, 2_005, 2_006]) {
      expect(await read(long, from)).toEqual(await log.read(long, from));
    }
  });
});
