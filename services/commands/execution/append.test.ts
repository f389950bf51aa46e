import type { NewEvent } from '@waymark/domain/event.ts';
import { AppendUndecided, type EventLog, LogUnavailable, type Revision } from '@waymark/event-log/event-log.ts';
import { newEventId, seal } from '@waymark/event-log/seal.ts';
import { logOfItsOwn } from '@waymark/event-log/testing/temporary-logs.ts';
import { append as appendEvents, appendShared } from './append.ts';

type Append = EventLog['append'];
/** The outcome of an append: it succeeds, the log is unavailable, or the connection is lost before or after the event is stored. */
type Fate = 'well' | 'away' | 'cut off before' | 'cut off after';

let log: Awaited<ReturnType<typeof logOfItsOwn>>;
beforeAll(async () => {
  log = await logOfItsOwn();
});
afterAll(() => log.close());

let streams = 0;
const newStream = (): string => {
  streams += 1;
  return `list-${streams}`;
};
const eventOf = (content = '{}', id = newEventId()): NewEvent =>
  seal({ id, type: 'ListEdited', version: 1, content, account: 'a', origin: { actor: 'a', token: null, request: null }, sanitized: false });

const withFates = (...fates: readonly Fate[]) => {
  const tried: { readonly id: string | undefined; readonly expected: Revision }[] = [];
  const append: Append = async (stream, events, expected) => {
    const fate = fates[tried.length] ?? 'well';
    tried.push({ id: events[0]?.envelope.id, expected });
    if (fate === 'away') throw new LogUnavailable('away');
    if (fate === 'cut off before') throw new AppendUndecided(stream);
    const outcome = await log.append(stream, events, expected);
    if (fate === 'cut off after') throw new AppendUndecided(stream);
    return outcome;
  };
  return { log: { ...log, append }, tried };
};

describe('an append', () => {
  it('returns the revision of the event', async () => {
    const { log: own, tried } = withFates();
    const stream = newStream();
    expect(await appendEvents(own, stream, [eventOf()], 'none')).toMatchObject({ revision: 0, recorded: [] });
    expect(await appendEvents(own, stream, [eventOf()], 0)).toMatchObject({ revision: 1, recorded: [] });
    expect(tried).toHaveLength(2);
  });

  it('conflicts if another event follows the expected revision', async () => {
    const stream = newStream();
    await log.append(stream, [eventOf()], 'none');
    const { log: own, tried } = withFates();
    expect(await appendEvents(own, stream, [eventOf()], 'none')).toBe('conflict');
    expect(tried).toHaveLength(1);
  });

  it('finds its event if an earlier try has appended it, with the content as recorded', async () => {
    const stream = newStream();
    const first = eventOf('{"first":true}');
    await log.append(stream, [first], 'none');
    const found = await appendEvents(log, stream, [eventOf('{}', first.envelope.id)], 'none');
    expect(found).toMatchObject({ revision: 0, recorded: [{ content: '{"first":true}' }] });
  });

  it('that was interrupted is found, or repeated with the same event at the same revision, even if the log is unavailable in between', async () => {
    const made = withFates('cut off after');
    expect(await appendEvents(made.log, newStream(), [eventOf()], 'none')).toMatchObject({ recorded: [{ revision: 0 }] });
    expect(made.tried).toHaveLength(1);
    const event = eventOf();
    const again = withFates('cut off before', 'away', 'cut off before', 'well');
    expect(await appendEvents(again.log, newStream(), [event], 'none')).toMatchObject({ revision: 0, recorded: [] });
    expect(again.tried).toEqual(Array.from({ length: 4 }, () => ({ id: event.envelope.id, expected: 'none' })));
  });

  it('of several events is found only if all of them were appended', async () => {
    const stream = newStream();
    const [first, second] = [eventOf(), eventOf()];
    await log.append(stream, [first, eventOf()], 'none');
    const { log: own } = withFates('cut off before');
    expect(await appendEvents(own, stream, [first, second], 'none')).toBe('conflict');
    const made = withFates('cut off after');
    const placed = await appendEvents(made.log, newStream(), [eventOf(), eventOf()], 'none');
    expect(placed).toMatchObject({ revision: 1, recorded: [{ revision: 0 }, { revision: 1 }] });
  });

  it('that was interrupted conflicts if another event was appended first', async () => {
    const stream = newStream();
    const { log: own } = withFates('cut off before');
    const read: EventLog['read'] = async (...what) => {
      await log.append(stream, [eventOf()], 'none');
      return log.read(...what);
    };
    expect(await appendEvents({ ...own, read }, stream, [eventOf()], 'none')).toBe('conflict');
  });

  it('that fails at the first try is not repeated', async () => {
    const { log: own, tried } = withFates('away');
    await expect(appendEvents(own, newStream(), [eventOf()], 'none')).rejects.toThrow(LogUnavailable);
    expect(tried).toHaveLength(1);
  });

  it('that stays interrupted is undecided after a bounded time, whether or not the log can be read', async () => {
    const { log: own } = withFates(...Array.from({ length: 1_000 }, (): Fate => 'cut off before'));
    let reads = 0;
    const unavailable: EventLog['read'] = () => {
      reads += 1;
      return Promise.reject(reads > 200 ? new RangeError('The log is read without a pause.') : new LogUnavailable('away'));
    };
    const appends = [
      appendEvents(own, newStream(), [eventOf()], 'none'),
      appendEvents({ ...own, read: unavailable }, newStream(), [eventOf()], 'none'),
    ];
    for (const outcome of await Promise.allSettled(appends)) expect(outcome).toMatchObject({ reason: expect.any(AppendUndecided) });
  });

  it('is settled once the log can be read again; any other error ends it', async () => {
    let aways = 3;
    const read: EventLog['read'] = async (...what) => {
      aways -= 1;
      if (aways >= 0) throw new LogUnavailable('away');
      return log.read(...what);
    };
    const { log: own } = withFates('cut off after', 'cut off after');
    expect(await appendEvents({ ...own, read }, newStream(), [eventOf()], 'none')).toMatchObject({ recorded: [{ revision: 0 }] });
    const wrong: EventLog['read'] = () => Promise.reject(new TypeError('wrong'));
    await expect(appendEvents({ ...own, read: wrong }, newStream(), [eventOf()], 'none')).rejects.toThrow(TypeError);
  });
});

describe('an append that other runs may also make', () => {
  it('returns the event as the log has it, even if the log acknowledged other content', async () => {
    const stream = newStream();
    const kept = eventOf('{"kept":true}');
    await log.append(stream, [kept], 'none');
    const append: Append = async () => ({ outcome: 'appended', revision: 0, position: 1 });
    const placed = await appendShared({ ...log, append }, stream, [eventOf('{}', kept.envelope.id)], 'none');
    expect(placed).toMatchObject({ recorded: [{ content: '{"kept":true}' }] });
  });

  it('conflicts if the log has another event at that revision', async () => {
    const stream = newStream();
    await log.append(stream, [eventOf()], 'none');
    expect(await appendShared(log, stream, [eventOf()], 'none')).toBe('conflict');
    const append: Append = async () => ({ outcome: 'appended', revision: 0, position: 1 });
    expect(await appendShared({ ...log, append }, stream, [eventOf()], 'none')).toBe('conflict');
  });

  it('is found if it was interrupted', async () => {
    const { log: own } = withFates('cut off after');
    expect(await appendShared(own, newStream(), [eventOf()], 'none')).toMatchObject({ recorded: [{ revision: 0 }] });
  });
});
