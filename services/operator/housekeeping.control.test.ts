import type { NewEvent } from '@waymark/domain/event.ts';
import { dryUndoStream, refusalsStream, requestStream, tokenStream, undoingStream, undoStream } from '@waymark/domain/streams.ts';
import { type EventStoreLog, openEventStoreLog } from '@waymark/event-log/eventstoredb/event-log.ts';
import { newStream, someEvent } from '@waymark/event-log/testing/some-events.ts';
import { control } from '@waymark/test-engines/control.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { dropExpired } from './housekeeping.ts';
import { dropRefusals } from './refusals.ts';

const hourMs = 60 * 60_000;

/** Returns an event that was recorded this many hours ago. */
const aged = (hours: number): NewEvent => {
  const event = someEvent();
  return { ...event, envelope: { ...event.envelope, time: new Date(Date.now() - hours * hourMs).toISOString() } };
};

// Housekeeping reads the whole log, so no other test may write to it meanwhile.
describeOn(['eventstore', 'control'], 'housekeeping in EventStoreDB', () => {
  let log: EventStoreLog;
  beforeEach(async () => {
    await control('wipe', 'eventstore');
    await control('start', 'eventstore');
    log = openEventStoreLog({ url: urlOf('eventstore') });
  });
  afterEach(() => log.close());

  const run = (most?: number): Promise<number> =>
    dropExpired(
      { log, truncate: log.truncate },
      { beforeMs: Date.now() - 48 * hourMs, signal: new AbortController().signal, ...(most === undefined ? {} : { most }) },
    );
  const [token, claim, kept] = [tokenStream(ownName('one')), requestStream(ownName('one')), tokenStream(ownName('kept'))];

  it('drops expired tokens and claims, and no history', async () => {
    const content = newStream();
    await log.append(content, [aged(100)], 'none');
    await log.append(token, [aged(100)], 'none');
    await log.append(token, [aged(99)], 0);
    await log.append(claim, [aged(90)], 'none');
    await log.append(kept, [aged(2)], 'none');
    await log.append(claim, [aged(1)], 0);
    expect(await run()).toBe(3);
    expect(await log.lastRevisions([content, token, claim, kept])).toEqual([0, 'none', 1, 0]);
    expect((await log.read(claim, 0)).map(({ revision }) => revision)).toEqual([1]);
    expect(await log.append(claim, [aged(0)], 1)).toMatchObject({ outcome: 'appended', revision: 2 });
  });

  it('drops dry runs of undo jobs, and notes of such jobs, and no job', async () => {
    const [dryRun, notes, job] = [dryUndoStream(ownName('one')), undoingStream(ownName('one')), undoStream(ownName('one'))];
    await log.append(dryRun, [aged(90), aged(90)], 'none');
    await log.append(notes, [aged(90)], 'none');
    await log.append(notes, [aged(1)], 0);
    await log.append(job, [aged(90)], 'none');
    expect(await run()).toBe(3);
    expect(await log.lastRevisions([dryRun, notes, job])).toEqual(['none', 1, 0]);
  });

  it('accepts a new claim of a key whose claim was dropped', async () => {
    await log.append(claim, [aged(90)], 'none');
    expect(await run()).toBe(1);
    expect(await log.append(claim, [aged(0)], 'none')).toMatchObject({ outcome: 'appended', revision: 1 });
  });

  it('drops refused requests that have expired, continuing where it ended, and no history', async () => {
    const [first, second] = [refusalsStream('a', '2026-01-01'), refusalsStream('a', '2026-01-02')];
    const drop = () => dropRefusals({ ...log, log }, { beforeMs: Date.now() - 90 * 24 * hourMs, signal: new AbortController().signal });
    const content = newStream();
    await log.append(content, [aged(3_000)], 'none');
    await log.append(token, [aged(3_000)], 'none');
    await log.append(first, [aged(3_000), aged(2_900)], 'none');
    await log.append(second, [aged(2_800)], 'none');
    await log.append(second, [aged(100)], 0);
    await log.append(newStream(), [aged(3_000)], 'none');
    expect(await drop()).toBe(3);
    expect(await log.read(first, 0)).toEqual([]);
    expect((await log.read(second, 0)).map(({ revision }) => revision)).toEqual([1]);
    expect(await log.lastRevisions([content, token])).toEqual([0, 0]);
    const { head } = await log.state();
    expect([await drop(), (await log.state()).head]).toEqual([0, head]);
    expect(await log.append(second, [aged(0)], 1)).toMatchObject({ outcome: 'appended', revision: 2 });
  });

  it('passes a log without refused requests, and writes nothing then', async () => {
    await log.append(newStream(), [aged(100)], 'none');
    const drop = () => dropRefusals({ ...log, log }, { beforeMs: Date.now(), signal: new AbortController().signal });
    expect(await drop()).toBe(0);
    const { head } = await log.state();
    expect([await drop(), (await log.state()).head]).toEqual([0, head]);
  });

  it('continues at its last position, and writes nothing if nothing has expired', async () => {
    for (let nth = 0; nth < 3; nth += 1) await log.append(tokenStream(ownName('old')), [aged(100)], 'none');
    expect([await run(), await run()]).toEqual([3, 0]);
    const { head } = await log.state();
    expect([await run(), (await log.state()).head]).toEqual([0, head]);
    await log.append(tokenStream(ownName('old')), [aged(100)], 'none');
    // The progress event of the previous run is recent and ends this run. Later runs pass it once it is old enough.
    expect(await run()).toBe(0);
  });
});
