import type { NewEvent } from '@waymark/domain/event.ts';
import { appendOnce, appendShared, undecidedMs } from './append-once.ts';
import { AppendUndecided, type EventLog, LogUnavailable, type Revision, readEventsMax } from './event-log.ts';
import { idsOf, newStream, someEvent, someEvents } from './testing/some-events.ts';
import { logOfItsOwn } from './testing/temporary-logs.ts';

/** The outcome of an append: it succeeds, the log is unavailable, or the connection is lost before or after the events are stored. */
type Fate = 'well' | 'away' | 'cut off before' | 'cut off after';

let log: Awaited<ReturnType<typeof logOfItsOwn>>;
beforeAll(async () => {
  log = await logOfItsOwn();
});
afterAll(() => log.close());

const withFates = (...fates: readonly Fate[]) => {
  const tried: { readonly ids: readonly string[]; readonly expected: Revision }[] = [];
  const append: EventLog['append'] = async (stream, events, expected) => {
    const fate = fates[tried.length] ?? 'well';
    tried.push({ ids: idsOf(events), expected });
    if (fate === 'away') throw new LogUnavailable('away');
    if (fate === 'cut off before') throw new AppendUndecided(stream);
    const outcome = await log.append(stream, events, expected);
    if (fate === 'cut off after') throw new AppendUndecided(stream);
    return outcome;
  };
  return { log: { ...log, append }, tried };
};

const sameIdAs = ({ envelope }: NewEvent, content: string): NewEvent => {
  const other = someEvent(content);
  return { ...other, envelope: { ...other.envelope, id: envelope.id } };
};

describe('an append', () => {
  it('returns the revision of its last event', async () => {
    const { log: own, tried } = withFates();
    const stream = newStream();
    expect(await appendOnce(own, stream, [someEvent()], 'none')).toMatchObject({ outcome: 'appended', revision: 0 });
    expect(await appendOnce(own, stream, someEvents(3), 0)).toMatchObject({ outcome: 'appended', revision: 3 });
    expect(tried).toHaveLength(2);
  });

  it('conflicts if other events follow the expected revision, and returns as many of them as were to be appended', async () => {
    const stream = newStream();
    const others = someEvents(3);
    await log.append(stream, others, 'none');
    const { log: own, tried } = withFates();
    const conflict = await appendOnce(own, stream, someEvents(2), 'none');
    expect(conflict).toMatchObject({
      outcome: 'conflict',
      present: [
        { revision: 0, ...others[0] },
        { revision: 1, ...others[1] },
      ],
    });
    expect(await appendOnce(own, stream, someEvents(2), 1)).toMatchObject({ outcome: 'conflict', present: [others[2]] });
    expect(tried).toHaveLength(2);
  });

  it('conflicts if the stream does not reach the expected revision', async () => {
    expect(await appendOnce(log, newStream(), [someEvent()], 7)).toEqual({ outcome: 'conflict', present: [] });
  });

  it.each([1, 3, readEventsMax + 1])(
    'finds its events if an earlier try has appended them, with the contents as recorded: %d',
    async (count) => {
      const stream = newStream();
      const first = Array.from({ length: count }, () => someEvent('{"first":true}'));
      await log.append(stream, first, 'none');
      await log.append(stream, [someEvent()], count - 1);
      const repeated = first.map((event) => sameIdAs(event, '{}'));
      const found = await appendOnce(log, stream, repeated, 'none');
      expect(found).toMatchObject({ outcome: 'found', revision: count - 1, present: first });
    },
  );

  it.each([
    ['the last one', (events: readonly NewEvent[]) => events.slice(0, -1)],
    ['the first one', (events: readonly NewEvent[]) => events.slice(1)],
    ['their order', (events: readonly NewEvent[]) => events.toReversed()],
  ])('conflicts if its events are recorded except for %s', async (_, without) => {
    const stream = newStream();
    const events = someEvents(3);
    await log.append(stream, without(events), 'none');
    expect(await appendOnce(log, stream, events, 'none')).toMatchObject({ outcome: 'conflict' });
  });

  it('that was interrupted is found, or repeated with the same events at the same revision, even if the log is unavailable in between', async () => {
    const made = withFates('cut off after');
    expect(await appendOnce(made.log, newStream(), someEvents(2), 'none')).toMatchObject({ outcome: 'found', revision: 1 });
    expect(made.tried).toHaveLength(1);
    const events = someEvents(2);
    const again = withFates('cut off before', 'away', 'cut off before', 'well');
    expect(await appendOnce(again.log, newStream(), events, 'none')).toMatchObject({ outcome: 'appended', revision: 1 });
    expect(again.tried).toEqual(Array.from({ length: 4 }, () => ({ ids: idsOf(events), expected: 'none' })));
  });

  it('that was interrupted conflicts if another event was appended first', async () => {
    const stream = newStream();
    const { log: own } = withFates('cut off before');
    const read: EventLog['read'] = async (...what) => {
      await log.append(stream, [someEvent()], 'none');
      return log.read(...what);
    };
    expect(await appendOnce({ ...own, read }, stream, someEvents(2), 'none')).toMatchObject({ outcome: 'conflict' });
  });

  it('that fails at the first try is not repeated', async () => {
    const { log: own, tried } = withFates('away');
    await expect(appendOnce(own, newStream(), [someEvent()], 'none')).rejects.toThrow(LogUnavailable);
    expect(tried).toHaveLength(1);
  });

  it('that stays interrupted is undecided after a bounded time, whether or not the log can be read', async () => {
    const { log: own } = withFates(...Array.from({ length: 1_000 }, (): Fate => 'cut off before'));
    let reads = 0;
    const unavailable: EventLog['read'] = () => {
      reads += 1;
      return Promise.reject(reads > 200 ? new RangeError('The log is read without a pause.') : new LogUnavailable('away'));
    };
    const beganMs = performance.now();
    const appends = [
      appendOnce(own, newStream(), [someEvent()], 'none'),
      appendOnce({ ...own, read: unavailable }, newStream(), [someEvent()], 'none'),
    ];
    for (const outcome of await Promise.allSettled(appends)) expect(outcome).toMatchObject({ reason: expect.any(AppendUndecided) });
    expect(performance.now() - beganMs).toBeGreaterThan(undecidedMs);
  });

  it('is settled once the log can be read again; any other error ends it', async () => {
    let aways = 3;
    const read: EventLog['read'] = async (...what) => {
      aways -= 1;
      if (aways >= 0) throw new LogUnavailable('away');
      return log.read(...what);
    };
    const { log: own } = withFates('cut off after', 'cut off after');
    expect(await appendOnce({ ...own, read }, newStream(), [someEvent()], 'none')).toMatchObject({ outcome: 'found' });
    const wrong: EventLog['read'] = () => Promise.reject(new TypeError('wrong'));
    await expect(appendOnce({ ...own, read: wrong }, newStream(), [someEvent()], 'none')).rejects.toThrow(TypeError);
  });
});

describe('an append that other processes may also make', () => {
  it('returns the events as the log has them, even if the log acknowledged other contents', async () => {
    const stream = newStream();
    const kept = [someEvent('{"kept":1}'), someEvent('{"kept":2}')];
    await log.append(stream, kept, 'none');
    const append: EventLog['append'] = async () => ({ outcome: 'appended', revision: 1, position: 2 });
    const repeated = kept.map((event) => sameIdAs(event, '{}'));
    expect(await appendShared({ ...log, append }, stream, repeated, 'none')).toMatchObject({ outcome: 'found', present: kept });
  });

  it('conflicts if the log has another event at one of the revisions', async () => {
    const stream = newStream();
    const events = someEvents(2);
    await log.append(stream, [...events.slice(0, 1), someEvent()], 'none');
    expect(await appendShared(log, stream, events, 'none')).toMatchObject({ outcome: 'conflict' });
    const append: EventLog['append'] = async () => ({ outcome: 'appended', revision: 1, position: 2 });
    expect(await appendShared({ ...log, append }, stream, events, 'none')).toMatchObject({ outcome: 'conflict' });
  });

  it('is found if it was interrupted', async () => {
    const { log: own } = withFates('cut off after');
    expect(await appendShared(own, newStream(), someEvents(2), 'none')).toMatchObject({ outcome: 'found', revision: 1 });
  });
});
