import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { allocatorStream, type ResourceKind } from '@waymark/domain/streams.ts';
import { LogUnavailable } from '../event-log.ts';
import { noIds } from '../facts/facts.ts';
import { sealReservation } from '../id-allocator.ts';
import { newEventId } from '../seal.ts';
import { newStream, someEvents } from '../testing/some-events.ts';
import { temporaryLogs } from '../testing/temporary-logs.ts';
import type { SqliteEventLog } from './event-log.ts';
import { factsIn } from './facts.ts';

const { file, open } = temporaryLogs();
const facts = () => file('log-facts.json');
const opened = (onFailure: (of: string) => void = () => undefined) => open({ facts: facts(), onFailure });

const reserve = async (log: SqliteEventLog, resource: ResourceKind, through: number) => {
  const stream = allocatorStream(resource);
  const [expected = 'none'] = await log.lastRevisions([stream]);
  return log.append(stream, [sealReservation(newEventId(), through)], expected);
};

const lastEvent = async (log: SqliteEventLog, stream: string) => (await log.read(stream, 0)).at(-1);

describe('the known facts of a log', () => {
  it('are written when the log is opened, to a file for its owner only', async () => {
    const { incarnation } = await (await opened()).state();
    expect(factsIn(facts())).toEqual({ incarnation, head: 0, event: '', ids: noIds });
    expect(statSync(facts()).mode & 0o777).toBe(0o600);
  });

  it('are written within about a second where they have changed, and not where they have not', async () => {
    const log = await opened();
    const stream = newStream();
    await log.append(stream, someEvents(2), 'none');
    while (factsIn(facts())?.head !== 2) await pause(20);
    expect(factsIn(facts())?.event).toBe((await lastEvent(log, stream))?.envelope.id);
    const written = statSync(facts()).ino;
    await pause(1_500);
    expect(statSync(facts()).ino).toBe(written);
  });

  it('are written when the log is closed', async () => {
    const log = await opened();
    await log.append(newStream(), someEvents(3), 'none');
    await log.close();
    expect(factsIn(facts())?.head).toBe(3);
  });

  it('cover the ids of each sequence before they are reserved', async () => {
    const log = await opened();
    await reserve(log, 'pinpoint', 128);
    await reserve(log, 'list', 500);
    const { ids = noIds } = factsIn(facts()) ?? {};
    expect(ids.pinpoint).toBeGreaterThanOrEqual(128);
    expect(ids.list).toBeGreaterThanOrEqual(500);
    expect([ids.category, ids.happening]).toEqual([0, 0]);
  });

  it('include ids that were reserved before any facts were written', async () => {
    const before = await open();
    await reserve(before, 'category', 4_711);
    await before.close();
    await opened();
    expect(factsIn(facts())?.ids.category).toBe(4_711);
  });

  it('never lose an id that they covered', async () => {
    writeFileSync(facts(), JSON.stringify({ incarnation: 'other', head: 9, event: 'e', ids: { ...noIds, pinpoint: 90_000 } }));
    const log = await opened();
    await reserve(log, 'pinpoint', 128);
    expect(factsIn(facts())?.ids.pinpoint).toBe(90_000);
    expect(factsIn(facts())?.incarnation).toBe((await log.state()).incarnation);
  });

  it.each(['', '{', 'null', '{"incarnation":"i","head":-1,"event":"e","ids":{}}'])(
    'are undefined where the file is damaged: %s',
    (text) => {
      writeFileSync(facts(), text);
      expect(factsIn(facts())).toBeUndefined();
    },
  );
});

describe('a facts file that cannot be written', () => {
  it('prevents the reservation of ids, and nothing else; it is reported once, and tried again', async () => {
    // No file can be renamed to the name of a directory that is not empty.
    mkdirSync(`${facts()}/in the way`, { recursive: true });
    const problems: string[] = [];
    const log = await opened((of) => problems.push(of));
    const stream = newStream();
    const [refused, appended] = await Promise.allSettled([reserve(log, 'pinpoint', 128), log.append(stream, someEvents(1), 'none')]);
    expect(refused).toMatchObject({ status: 'rejected', reason: expect.any(LogUnavailable) });
    expect(appended).toMatchObject({ status: 'fulfilled', value: { outcome: 'appended', revision: 0 } });
    await expect(reserve(log, 'pinpoint', 128)).rejects.toThrow(LogUnavailable);
    expect(await log.lastRevisions([allocatorStream('pinpoint'), stream])).toEqual(['none', 0]);
    expect(problems).toEqual(['facts']);

    rmSync(facts(), { recursive: true });
    expect(await reserve(log, 'pinpoint', 128)).toMatchObject({ outcome: 'appended' });
    expect(JSON.parse(readFileSync(facts(), 'utf8')).ids.pinpoint).toBeGreaterThanOrEqual(128);
  });
});
