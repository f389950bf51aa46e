import { existsSync, readFileSync } from 'node:fs';
import type { DomainEvent } from '@waymark/domain/event.ts';
import { resourceStream } from '@waymark/domain/streams.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { erase } from '../erasure/erase.ts';
import type { EventLog } from '../event-log.ts';
import { appended, someFact } from '../testing/some-events.ts';
import { temporaryLogs } from '../testing/temporary-logs.ts';
import { checkLog } from './maintenance.ts';
import { openReader, openWriter } from './schema.ts';

const { file, open } = temporaryLogs();

const objects = 24;
const rounds = 12;

/** Returns a name that occurs nowhere else. */
const secret = (pinpoint: number, round: number): string => `secret ${pinpoint} in ${round}.`;
const streamOf = (pinpoint: number): string => resourceStream('pinpoint', pinpoint);

/** Returns fields with sizes within a page, of about a page, and over many pages. */
const fieldsOf = (pinpoint: number, round: number) => ({
  name: secret(pinpoint, round),
  description: `<p>${secret(pinpoint, round).repeat([0, 1, 7, 60, 200, 900][(pinpoint * 7 + round * 5) % 6] ?? 0)}</p>`,
});

const fact = (pinpoint: number, round: number): DomainEvent =>
  round === 0
    ? { ...sampleEvents.PinpointCreated, pinpoint, fields: { ...sampleEvents.PinpointCreated.fields, ...fieldsOf(pinpoint, round) } }
    : { type: 'PinpointEdited', pinpoint, fields: fieldsOf(pinpoint, round) };

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Appends one event for each object in each round.
 * @returns the salts of all events, by object */
const fill = async (log: EventLog): Promise<ReadonlyMap<number, readonly string[]>> => {
  const salts = new Map<number, string[]>(numbers(objects).map((pinpoint) => [pinpoint + 1, []]));
  for (const round of numbers(rounds)) {
    await Promise.all(
      [...salts].map(([pinpoint, known]) => {
        const event = someFact(fact(pinpoint, round));
        known.push(event.salt);
        return appended(log.append(streamOf(pinpoint), [event], round === 0 ? 'none' : round - 1));
      }),
    );
  }
  return salts;
};

/** Returns everything that the log has on the disk. */
const onDisk = (): string =>
  ['', '-wal', '-shm'].map((suffix) => (existsSync(file() + suffix) ? readFileSync(file() + suffix, 'latin1') : '')).join('');

describe('content that the SQLite log has erased', () => {
  it('is nowhere in its files, whatever was erased before it, and all other content is', async () => {
    const log = await open();
    const salts = await fill(log);
    const erased: number[] = [];
    for (const turn of numbers(objects)) {
      const pinpoint = ((turn * 17) % objects) + 1; // in mixed order
      await erase(log, streamOf(pinpoint));
      erased.push(pinpoint);
      if (turn % 5 > 0) continue;
      const disk = onDisk();
      const found = erased.flatMap((one) => [
        ...(salts.get(one) ?? []).filter((salt) => disk.includes(salt)),
        ...numbers(rounds - 1)
          .map((round) => secret(one, round))
          .filter((name) => disk.includes(name)),
      ]);
      expect(found).toEqual([]);
      const kept = numbers(objects)
        .map((one) => one + 1)
        .filter((one) => !erased.includes(one));
      expect(kept.filter((one) => !disk.includes(secret(one, 0)))).toEqual([]);
      expect(erased.filter((one) => !disk.includes(secret(one, rounds - 1)))).toEqual([]);
    }
  });

  it('is gone once the blocking readers have ended, and appends continue meanwhile', async () => {
    const log = await open();
    await fill(log);
    const reader = openReader(file());
    reader.exec('begin');
    reader.prepare('select * from event').get();
    let isDone = false;
    const erasing = erase(log, streamOf(1)).finally(() => {
      isDone = true;
    });
    await appended(log.append(streamOf(2), [someFact(fact(2, rounds))], rounds - 1));
    while ((await log.read(streamOf(1), 0))[0]?.content !== null)
      await appended(log.append(streamOf(1_000), [someFact(fact(1_000, 0))], await last(log)));
    expect(isDone).toBe(false);
    reader.exec('commit');
    reader.close();
    expect((await erasing).dropping).toBe('overwritten');
    expect(onDisk()).not.toContain(secret(1, 0));
  });

  it('is compared with the recorded erasures when the file is checked', async () => {
    const log = await open();
    await fill(log);
    for (const pinpoint of [1, 2]) await erase(log, streamOf(pinpoint));
    expect((await checkLog(file())).faults).toEqual([]);
    await log.close();
    const db = openWriter(file());
    db.prepare('update event set content = ? where stream = ? and revision = 3').run('"back"', streamOf(1));
    db.prepare("update event set envelope = json_set(envelope, '$.actor', 'nobody') where stream = ? and revision = 4").run(streamOf(2));
    db.close();
    expect((await checkLog(file())).faults).toEqual([
      expect.stringContaining('the content does not match its commitment'),
      expect.stringContaining('pinpoint-1, revision 3: the content contradicts'),
      expect.stringContaining('pinpoint-1: 1 events before revision 12 are recorded as erased, but are still there'),
      expect.stringContaining('pinpoint-2: the envelopes before revision 12 differ from the summary'),
    ]);
  });
});

const last = async (log: EventLog) => (await log.lastRevisions([streamOf(1_000)]))[0] ?? 'none';
