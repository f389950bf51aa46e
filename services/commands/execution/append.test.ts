import type { NewEvent } from '@waymark/domain/event.ts';
import { AppendUndecided, type EventLog, LogUnavailable, type Revision } from '@waymark/event-log/event-log.ts';
import { newEventId, seal } from '@waymark/event-log/seal.ts';
import { logOfItsOwn } from '@waymark/event-log/testing/temporary-logs.ts';
import { appendOne, appendShared } from './append.ts';

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
  it('says where the event stands', async () => {
    const { log: own, tried } = withFates();
    const stream = newStream();
    expect(await appendOne(own, stream, eventOf(), 'none')).toMatchObject({ outcome: 'appended', revision: 0 });
    expect(await appendOne(own, stream, eventOf(), 0)).toMatchObject({ outcome: 'appended', revision: 1 });
    expect(tried).toHaveLength(2);
  });

  it('conflicts where another event stands after the expected revision', async () => {
    const stream = newStream();
    await log.append(stream, [eventOf()], 'none');
    const { log: own, tried } = withFates();
    expect(await appendOne(own, stream, eventOf(), 'none')).toEqual({ outcome: 'conflict' });
    expect(tried).toHaveLength(1);
  });

  it('is found where it was made before, as it was recorded', async () => {
    const stream = newStream();
    const first = eventOf('{"first":true}');
    await log.append(stream, [first], 'none');
    const found = await appendOne(log, stream, eventOf('{}', first.envelope.id), 'none');
    expect(found).toMatchObject({ outcome: 'found', event: { revision: 0, content: '{"first":true}' } });
  });

  it('that was cut off is found, or made again with the same event at the same revision, though the log is away meanwhile', async () => {
    const made = withFates('cut off after');
    expect(await appendOne(made.log, newStream(), eventOf(), 'none')).toMatchObject({ outcome: 'found', event: { revision: 0 } });
    expect(made.tried).toHaveLength(1);
    const event = eventOf();
    const again = withFates('cut off before', 'away', 'cut off before', 'well');
    expect(await appendOne(again.log, newStream(), event, 'none')).toMatchObject({ outcome: 'appended', revision: 0 });
    expect(again.tried).toEqual(Array.from({ length: 4 }, () => ({ id: event.envelope.id, expected: 'none' })));
  });

  it('that was cut off conflicts where another event was faster', async () => {
    const stream = newStream();
    const { log: own } = withFates('cut off before');
    const read: EventLog['read'] = async (...what) => {
      await log.append(stream, [eventOf()], 'none');
      return log.read(...what);
    };
    expect(await appendOne({ ...own, read }, stream, eventOf(), 'none')).toEqual({ outcome: 'conflict' });
  });

  it('that cannot be made at all is not tried again', async () => {
    const { log: own, tried } = withFates('away');
    await expect(appendOne(own, newStream(), eventOf(), 'none')).rejects.toThrow(LogUnavailable);
    expect(tried).toHaveLength(1);
  });

  it('that stays cut off is undecided after a bounded time, whether the log can be read or not', async () => {
    const { log: own } = withFates(...Array.from({ length: 1_000 }, (): Fate => 'cut off before'));
    let reads = 0;
    const away: EventLog['read'] = () => {
      reads += 1;
      return Promise.reject(reads > 200 ? new RangeError('It is asked without a pause.') : new LogUnavailable('away'));
    };
    const appends = [appendOne(own, newStream(), eventOf(), 'none'), appendOne({ ...own, read: away }, newStream(), eventOf(), 'none')];
    for (const outcome of await Promise.allSettled(appends)) expect(outcome).toMatchObject({ reason: expect.any(AppendUndecided) });
  });

  it('is settled once the log can be read again; another error ends it', async () => {
    let aways = 3;
    const read: EventLog['read'] = async (...what) => {
      aways -= 1;
      if (aways >= 0) throw new LogUnavailable('away');
      return log.read(...what);
    };
    const { log: own } = withFates('cut off after', 'cut off after');
    expect(await appendOne({ ...own, read }, newStream(), eventOf(), 'none')).toMatchObject({ outcome: 'found' });
    const wrong: EventLog['read'] = () => Promise.reject(new TypeError('wrong'));
    await expect(appendOne({ ...own, read: wrong }, newStream(), eventOf(), 'none')).rejects.toThrow(TypeError);
  });
});

describe('an append that other runs may make, too,', () => {
  it('is told as the log has it, though the log acknowledged another content', async () => {
    const stream = newStream();
    const kept = eventOf('{"kept":true}');
    await log.append(stream, [kept], 'none');
    const append: Append = async () => ({ outcome: 'appended', revision: 0, position: 1 });
    const placed = await appendShared({ ...log, append }, stream, eventOf('{}', kept.envelope.id), 'none');
    expect(placed).toMatchObject({ outcome: 'found', event: { content: '{"kept":true}' } });
  });

  it('conflicts where the log has another event there', async () => {
    const stream = newStream();
    await log.append(stream, [eventOf()], 'none');
    expect(await appendShared(log, stream, eventOf(), 'none')).toEqual({ outcome: 'conflict' });
    const append: Append = async () => ({ outcome: 'appended', revision: 0, position: 1 });
    expect(await appendShared({ ...log, append }, stream, eventOf(), 'none')).toEqual({ outcome: 'conflict' });
  });

  it('is found where it was cut off', async () => {
    const { log: own } = withFates('cut off after');
    expect(await appendShared(own, newStream(), eventOf(), 'none')).toMatchObject({ outcome: 'found', event: { revision: 0 } });
  });
});
