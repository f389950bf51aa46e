import type { RecordedEvent } from '@waymark/domain/event.ts';
import { type EventLog, readEventsMax } from './event-log.ts';
import { readEnd, readEvents } from './read-stream.ts';
import { idsOf, newStream, someEvents } from './testing/some-events.ts';
import { logOfItsOwn } from './testing/temporary-logs.ts';

let log: Awaited<ReturnType<typeof logOfItsOwn>>;
beforeAll(async () => {
  log = await logOfItsOwn();
});
afterAll(() => log.close());

/** Returns a log that records from which revisions it was read. */
const recorded = () => {
  const reads: number[] = [];
  const read: EventLog['read'] = (stream, from) => {
    reads.push(from);
    return log.read(stream, from);
  };
  return { read, reads };
};

const allOf = async (stream: AsyncIterable<RecordedEvent>): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
};

describe('the events of a stream', () => {
  it.each([
    ['no event', 0, 0, [0]],
    ['one event', 1, 0, [0]],
    ['less than a page', readEventsMax - 1, 0, [0]],
    ['exactly a page', readEventsMax, 0, [0, readEventsMax]],
    ['several pages', 2 * readEventsMax + 1, 0, [0, readEventsMax, 2 * readEventsMax]],
    ['a page from a later revision on', readEventsMax + 5, 5, [5, readEventsMax + 5]],
  ])('are read page by page: %s', async (_, count, from, pages) => {
    const stream = newStream();
    const events = someEvents(count);
    if (count > 0) await log.append(stream, events, 'none');
    const { read, reads } = recorded();
    expect(idsOf(await allOf(readEvents(read, stream, from)))).toEqual(idsOf(events.slice(from)));
    expect(reads).toEqual(pages);
  });

  it('are not read beyond the page in which the reader stops', async () => {
    const stream = newStream();
    await log.append(stream, someEvents(readEventsMax + 1), 'none');
    const { read, reads } = recorded();
    for await (const { revision } of readEvents(read, stream)) if (revision === readEventsMax - 1) break;
    expect(reads).toEqual([0]);
  });

  it('continue after the last revision where the first ones have expired', async () => {
    const stream = newStream();
    await log.append(stream, someEvents(readEventsMax + 10), 'none');
    const expired: EventLog['read'] = (name, from) => log.read(name, Math.max(from, 3));
    const revisions = (await allOf(readEvents(expired, stream))).map(({ revision }) => revision);
    expect(revisions).toEqual(Array.from({ length: readEventsMax + 7 }, (_, index) => index + 3));
  });
});

describe('the end of a stream', () => {
  it('is the last event and its revision', async () => {
    const stream = newStream();
    const events = someEvents(3);
    await log.append(stream, events, 'none');
    expect(await readEnd(log, stream)).toMatchObject({ revision: 2, event: { revision: 2, ...events[2] } });
  });

  it('is no event where the stream has none', async () => {
    expect(await readEnd(log, newStream())).toEqual({ revision: 'none', event: undefined });
  });

  it('has a revision but no event where another program wrote the last event', async () => {
    const foreign = { ...log, lastRevisions: async () => [5], read: async () => [] };
    expect(await readEnd(foreign, newStream())).toEqual({ revision: 5, event: undefined });
  });
});
