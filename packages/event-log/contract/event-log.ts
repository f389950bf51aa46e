import type { ErasedEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { anyCharacter } from '@waymark/domain/testing/characters.ts';
import fc from 'fast-check';
import { type Appended, type EventLog, readEventsMax } from '../event-log.ts';
import { appended, idsOf, newStream, someEvent, someEvents } from '../testing/some-events.ts';
import { eraseContract } from './erase.ts';
import { eraseInPiecesContract } from './erase-in-pieces.ts';
import { subscribeContract } from './subscribe.ts';

/** Defines what every adapter of the event log must do. The log may already hold other events. No other process may write to it meanwhile. */
export const eventLogContract = (name: string, makeLog: () => Promise<EventLog & { close: () => Promise<void> }>) =>
  describe(`the event log on ${name}`, () => {
    let log: Awaited<ReturnType<typeof makeLog>>;
    beforeAll(async () => {
      log = await makeLog();
    });
    afterAll(() => log.close());

    describe('append', () => appending(() => log));
    describe('read', () => reading(() => log));
    describe('lastRevisions, owners and state', () => asking(() => log));
    describe('subscribe', () => subscribeContract(() => log));
    describe('erase', () => eraseContract(() => log));
    describe('erase, of a list in pieces', () => eraseInPiecesContract(() => log));
  });

const conflict: Appended = { outcome: 'conflict' };

const appending = (log: () => EventLog) => {
  it('begins a stream at revision 0', async () => {
    expect(await appended(log().append(newStream(), [someEvent()], 'none'))).toMatchObject({ revision: 0 });
  });

  it('continues after the last revision, and returns the revision of the last event', async () => {
    const stream = newStream();
    await log().append(stream, someEvents(2), 'none');
    expect(await appended(log().append(stream, someEvents(3), 1))).toMatchObject({ revision: 4 });
    expect((await log().read(stream, 0)).map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4]);
  });

  it('gives every event a position above those before it, and returns the position of the last event', async () => {
    const [one, other] = [newStream(), newStream()];
    const first = await appended(log().append(one, someEvents(2), 'none'));
    const second = await appended(log().append(other, [someEvent()], 'none'));
    const third = await appended(log().append(one, [someEvent()], 1));
    const positions = (await log().read(one, 0)).map(({ position }) => position);
    expect(positions).toEqual([expect.any(Number), first.position, third.position]);
    expect(positions[0]).toBeLessThan(first.position);
    expect(first.position).toBeLessThan(second.position);
    expect(second.position).toBeLessThan(third.position);
  });

  it('keeps the times of imported events, however old these are', async () => {
    const stream = newStream();
    const time = '2019-03-01T08:00:00.000Z';
    const events = someEvents(2).map((event) => ({ ...event, envelope: { ...event.envelope, time } }));
    await log().append(stream, events, 'none', { imported: true });
    expect((await log().read(stream, 0)).map(({ envelope }) => envelope.time)).toEqual([time, time]);
  });

  it('refuses to begin a stream that exists', async () => {
    const stream = newStream();
    await log().append(stream, [someEvent()], 'none');
    expect(await log().append(stream, [someEvent()], 'none')).toEqual(conflict);
  });

  it('refuses an expected revision that the stream has passed', async () => {
    const stream = newStream();
    await log().append(stream, someEvents(3), 'none');
    expect(await log().append(stream, [someEvent()], 1)).toEqual(conflict);
  });

  it('refuses an expected revision that the stream has not reached', async () => {
    const stream = newStream();
    expect(await log().append(stream, [someEvent()], 0)).toEqual(conflict);
    await log().append(stream, [someEvent()], 'none');
    expect(await log().append(stream, [someEvent()], 1)).toEqual(conflict);
  });

  it('writes nothing of a refused append', async () => {
    const stream = newStream();
    const kept = someEvent();
    const { position } = await appended(log().append(stream, [kept], 'none'));
    await log().append(stream, someEvents(3), 'none');
    expect(idsOf(await log().read(stream, 0))).toEqual([kept.envelope.id]);
    expect((await log().state()).head).toBe(position);
  });

  it('refuses one of several simultaneous appends without affecting the others', async () => {
    const [one, other] = [newStream(), newStream()];
    const outcomes = await Promise.all([
      log().append(one, [someEvent()], 'none'),
      log().append(one, [someEvent()], 7),
      log().append(other, [someEvent()], 'none'),
    ]);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['appended', 'conflict', 'appended']);
  });

  it('lets exactly one of many simultaneous appends to a stream succeed', async () => {
    const stream = newStream();
    await log().append(stream, [someEvent()], 'none');
    const events = someEvents(50);
    const outcomes = await Promise.all(events.map((event) => log().append(stream, [event], 0)));
    const winners = events.filter((_, index) => outcomes[index]?.outcome === 'appended');
    expect(winners).toHaveLength(1);
    expect(idsOf(await log().read(stream, 1))).toEqual(idsOf(winners));
  });
};

const reading = (log: () => EventLog) => {
  it('returns the appended events', async () => {
    const stream = newStream();
    const events = someEvents(2);
    const { position } = await appended(log().append(stream, events, 'none'));
    const [first, second] = await log().read(stream, 0);
    expect(first).toEqual({ stream, revision: 0, position: expect.any(Number), ...events[0] });
    expect(second).toEqual({ stream, revision: 1, position, ...events[1] });
  });

  it('returns nothing for a missing stream, and nothing beyond the end of a stream', async () => {
    const stream = newStream();
    expect(await log().read(stream, 0)).toEqual([]);
    await log().append(stream, [someEvent()], 'none');
    expect(await log().read(stream, 1)).toEqual([]);
  });

  it('begins at a revision, returns at most readEventsMax events, and continues from there', async () => {
    const stream = newStream();
    const events = someEvents(readEventsMax + 5);
    await log().append(stream, events.slice(0, 100), 'none');
    await log().append(stream, events.slice(100), 99);
    const page = await log().read(stream, 2);
    const rest = await log().read(stream, 2 + readEventsMax);
    expect(page).toHaveLength(readEventsMax);
    expect(idsOf([...page, ...rest])).toEqual(idsOf(events.slice(2)));
  });

  it('keeps every text byte for byte', async () => {
    const stream = newStream();
    const texts = ['', '\ufeffBOM', '\u2028\u2029', '\ufffe\uffff\ufffd', 'e\u0301 ≠ \u00e9', '👩‍👩‍👧‍👦', 'שלום', '\u0000', "');--"];
    const hostile = [...texts, ...fc.sample(fc.string({ unit: anyCharacter, maxLength: 200 }), 100)];
    const contents = hostile.map((text) => JSON.stringify({ text }));
    await log().append(stream, contents.map(someEvent), 'none');
    expect((await log().read(stream, 0)).map(({ content }) => content)).toEqual(contents);
  }, 60_000); // the first sample of fast-check takes one second of CPU time

  it('keeps an event whose content was erased in another log', async () => {
    const stream = newStream();
    const before = (await log().state()).head;
    const erased: ErasedEvent = { envelope: someEvent().envelope, salt: null, content: null };
    const whole = someEvent();
    const { position } = await appended(log().append(stream, [erased, whole], 'none'));
    const expected = [
      { stream, revision: 0, position: expect.any(Number), ...erased },
      { stream, revision: 1, position, ...whole },
    ];
    expect(await log().read(stream, 0)).toEqual(expected);
    const done = new AbortController();
    const followed: RecordedEvent[] = [];
    const handle = async (batch: readonly RecordedEvent[]): Promise<void> => {
      followed.push(...batch.filter((event) => event.stream === stream));
      if (followed.length === expected.length) done.abort();
    };
    await log().subscribe(before, handle, done.signal);
    expect(followed).toEqual(expected);
  });

  it('keeps an event of one megabyte', async () => {
    const stream = newStream();
    const content = JSON.stringify({ description: 'a b<p>é'.repeat(120_000) });
    await log().append(stream, [someEvent(content)], 'none');
    expect((await log().read(stream, 0)).map((event) => event.content === content)).toEqual([true]);
  });
};

const asking = (log: () => EventLog) => {
  it('returns the last revision of each stream, in the order of the arguments', async () => {
    const [one, other, missing] = [newStream(), newStream(), newStream()];
    await log().append(one, someEvents(3), 'none');
    await log().append(other, [someEvent()], 'none');
    expect(await log().lastRevisions([other, missing, one, other])).toEqual([0, 'none', 2, 0]);
    expect(await log().lastRevisions([])).toEqual([]);
  });

  it('returns the account of the last event of each stream, in the order of the arguments', async () => {
    const [mine, missing, theirs] = [newStream(), newStream(), newStream()];
    const { salt, content, envelope } = someEvent();
    const event = { envelope: { ...envelope, account: 'theirs' }, salt, content };
    await log().append(mine, someEvents(2), 'none');
    await log().append(theirs, [event], 'none');
    expect(await log().owners([theirs, missing, mine, theirs])).toEqual(['theirs', undefined, envelope.account, 'theirs']);
    expect(await log().owners([])).toEqual([]);
  });

  it('returns the account of an event whose content was erased', async () => {
    const stream = newStream();
    const { envelope } = someEvent();
    await log().append(stream, [{ envelope, salt: null, content: null }], 'none');
    expect(await log().owners([stream])).toEqual([envelope.account]);
  });

  it('sees every acknowledged append', async () => {
    const stream = newStream();
    for (let revision = 0; revision < 20; revision += 1) {
      await log().append(stream, [someEvent()], revision === 0 ? 'none' : revision - 1);
      expect(await log().lastRevisions([stream])).toEqual([revision]);
    }
  });

  it('returns the position of the last event in the log', async () => {
    const before = await log().state();
    const { position } = await appended(log().append(newStream(), someEvents(3), 'none'));
    const after = await log().state();
    expect(after.head).toBe(position);
    expect(after.head).toBeGreaterThan(before.head);
  });

  it('keeps its installation', async () => {
    const { installation, incarnation } = await log().state();
    await log().append(newStream(), [someEvent()], 'none');
    expect(installation).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(installation).not.toBe(incarnation);
    expect((await log().state()).installation).toBe(installation);
  });

  it('keeps its incarnation', async () => {
    const { incarnation } = await log().state();
    await log().append(newStream(), [someEvent()], 'none');
    expect(incarnation).not.toBe('');
    expect((await log().state()).incarnation).toBe(incarnation);
  });
};
