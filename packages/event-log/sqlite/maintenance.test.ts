import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { prunedRefusalsStream, refusalsStream, requestStream } from '@waymark/domain/streams.ts';
import Database from 'better-sqlite3';
import { foundInLog } from '../testing/found-in-log.ts';
import { appended, idsOf, newStream, someEvent, someEvents } from '../testing/some-events.ts';
import { temporaryLogs } from '../testing/temporary-logs.ts';
import { checkLog, copyLog } from './maintenance.ts';
import { createLogReader } from './reader.ts';
import { openReader, openWriter } from './schema.ts';

const { file, open } = temporaryLogs();

describe('a copy of a log', () => {
  it('has the state of one moment, although the log is written meanwhile', async () => {
    const log = await open();
    const content = JSON.stringify({ description: 'x'.repeat(5_000) });
    for (let nth = 0; nth < 500; nth += 1) await log.append(newStream(), [someEvent(content)], 'none');
    const before = await log.state();
    let copying = true;
    const appendMeanwhile = async () => {
      while (copying) await log.append(newStream(), [someEvent(content)], 'none');
    };
    const writers = [appendMeanwhile(), appendMeanwhile()];
    const copied = await copyLog(file(), file('copy.db'));
    copying = false;
    await Promise.all(writers);
    expect(copied).toMatchObject({ incarnation: before.incarnation, installation: before.installation });
    expect(copied.head).toBeGreaterThanOrEqual(before.head);
    expect(copied.head).toBeLessThan((await log.state()).head);
    expect(await foundInLog(file('copy.db'))).toEqual([]);
    const copy = await open({ file: file('copy.db') });
    expect(await copy.state()).toEqual(copied);
    expect(statSync(file('copy.db')).mode & 0o777).toBe(0o600);
  });

  it('never overwrites a file', async () => {
    const log = await open();
    await log.append(newStream(), [someEvent()], 'none');
    writeFileSync(file('copy.db'), 'precious');
    await expect(copyLog(file(), file('copy.db'))).rejects.toThrow('EEXIST');
    expect(readFileSync(file('copy.db'), 'utf8')).toBe('precious');
  });
});

describe('a copy of a log that is written between two of its steps', () => {
  it('ends at the position that it reports', async () => {
    const log = await open();
    for (let nth = 0; nth < 300; nth += 1) await log.append(newStream(), [someEvent(JSON.stringify('x'.repeat(5_000)))], 'none');
    const { head } = await log.state();
    const copying = copyLog(file(), file('copy.db'));
    // In this turn, the copy has determined how far it reaches, but has copied nothing yet.
    const db = new Database(file());
    db.exec(`insert into event select position + 1, 'later-1', 0, envelope, salt, content from event where position = ${head}`);
    db.close();
    expect((await copying).head).toBe(head);
    const copy = openReader(file('copy.db'));
    expect(createLogReader(copy).state().head).toBe(head);
    copy.close();
  });
});

describe('a renewed log', () => {
  it('has another incarnation, the same installation and the same events', async () => {
    const log = await open();
    const { incarnation, installation } = await log.state();
    const stream = newStream();
    await log.append(stream, someEvents(2), 'none');
    const events = await log.read(stream, 0);
    const renamed = await log.renewIncarnation(incarnation);
    await log.close();
    expect(renamed).not.toBe(incarnation);
    const renewed = await open();
    expect((await renewed.state()).incarnation).toBe(renamed);
    expect((await renewed.state()).installation).toBe(installation);
    expect(await renewed.read(stream, 0)).toEqual(events);
  });
});

describe('the check of a log', () => {
  const filled = async (content?: string) => {
    const log = await open();
    await Promise.all(someEvents(200).map((event) => log.append(newStream(), [event], 'none')));
    await log.append('pinpoint-1', [someEvent(content), someEvent(), someEvent()], 'none');
    await log.append(requestStream('1'), someEvents(2), 'none');
    return log;
  };
  const tamper = (sql: string) => {
    const db = openWriter(file());
    db.exec(sql);
    db.close();
  };

  it('finds nothing in an intact log, even while it is open', async () => {
    await filled();
    expect(await foundInLog(file())).toEqual([]);
  });

  it('finds a changed byte of an event content', async () => {
    const log = await filled('{"name":"a very rare name"}');
    const [event] = await log.read('pinpoint-1', 0);
    await log.close();
    const bytes = readFileSync(file());
    const at = bytes.indexOf('a very rare name');
    bytes[at] = 'b'.charCodeAt(0);
    writeFileSync(file(), bytes);
    expect(await foundInLog(file())).toEqual([`position ${event?.position}: the content does not match its commitment`]);
  });

  it('finds an envelope whose text has a name twice, or blanks', async () => {
    const log = await filled();
    const [event] = await log.read('pinpoint-1', 0);
    await log.close();
    tamper(`update event set envelope = '{"account":"another",' || substr(envelope, 2) where stream = 'pinpoint-1' and revision = 0`);
    expect(await foundInLog(file())).toEqual([`position ${event?.position}: Waymark does not write its envelope in this way`]);
    tamper(`update event set envelope = '{ ' || substr(envelope, 22) where stream = 'pinpoint-1' and revision = 0`);
    expect(await foundInLog(file())).toHaveLength(1);
  });

  it('finds events that are missing from a stream', async () => {
    await (await filled()).close();
    tamper("delete from event where stream = 'pinpoint-1' and revision = 1");
    expect(await foundInLog(file())).toEqual(['pinpoint-1, revision 2: it follows revision 0']);
    tamper("delete from event where stream = 'pinpoint-1' and revision = 0");
    expect(await foundInLog(file())).toEqual(['pinpoint-1, revision 2: the revisions before it are missing']);
  });

  it('finds a stream whose order differs from the order of the log', async () => {
    await (await filled()).close();
    tamper("update event set position = 9000 where stream = 'pinpoint-1' and revision = 0");
    expect(await foundInLog(file())).toEqual([expect.stringContaining('its position')]);
  });

  it('accepts expired housekeeping and erased content', async () => {
    await (await filled()).close();
    tamper("delete from event where stream = 'request-1' and revision = 0");
    tamper("update event set salt = null, content = null where stream = 'pinpoint-1'");
    expect(await foundInLog(file())).toEqual([]);
  });

  it('finds damage to the file, and reports no more findings than requested', async () => {
    await (await filled()).close();
    const bytes = readFileSync(file());
    bytes.fill(0xff, 5 * 4_096, 20 * 4_096);
    writeFileSync(file(), bytes);
    const { faults: findings } = await checkLog(file(), 3);
    expect(findings.length).toBeLessThanOrEqual(3);
    expect(findings[0]).toMatch(/^file: /);
  });

  it('names where a clock was set back, which is no fault', async () => {
    const log = await open();
    const event = someEvent();
    const late = { ...event.envelope, time: new Date(Date.now() + 60_000).toISOString() };
    await log.append('pinpoint-1', [{ ...event, envelope: late }, someEvent()], 'none');
    await log.close();
    expect((await checkLog(file())).clocks).toEqual([expect.stringMatching(/^pinpoint-1, revision 1: its time is \d\d s before/)]);
  });

  it('fails where there is no log', async () => {
    await expect(checkLog(file('missing.db'))).rejects.toThrow();
  });
});

describe('pruning', () => {
  const at = (time: string) => {
    const event = someEvent();
    return { ...event, envelope: { ...event.envelope, time } };
  };
  const old = '2026-01-01T00:00:00.000Z';
  const recent = '2026-01-03T12:00:00.000Z';
  const limit = '2026-01-02T00:00:00.000Z';

  it('drops claims whose last event is old, and nothing else', async () => {
    const log = await open();
    const claims = Array.from({ length: 1_200 }, (_, nth) => requestStream(`${nth}`));
    await Promise.all(claims.map((claim) => log.append(claim, [at(old)], 'none', { imported: true })));
    await log.append(requestStream('3'), [at(recent)], 0);
    await log.append('pinpoint-1', [at(old)], 'none', { imported: true });
    await log.append('allocator-pinpoint', [at(old)], 'none', { imported: true });
    expect(await log.prune(limit)).toBe(1_199);
    expect(await log.lastRevisions(['request-3', 'request-4', 'pinpoint-1', 'allocator-pinpoint'])).toEqual([1, 'none', 0, 0]);
    expect(await log.append('request-4', [at(recent)], 'none')).toMatchObject({ outcome: 'appended', revision: 0 });
  });

  it('drops refused requests of days whose last event is old, and nothing else', async () => {
    const log = await open();
    const [first, second] = [refusalsStream('a', '2026-01-01'), refusalsStream('a', '2026-01-02')];
    await log.append(first, [at(old), at(old)], 'none', { imported: true });
    await log.append(second, [at(old), at(recent)], 'none', { imported: true });
    await log.append(requestStream('1'), [at(old)], 'none', { imported: true });
    await log.append(prunedRefusalsStream, [at(old)], 'none', { imported: true });
    await log.append('pinpoint-1', [at(old)], 'none', { imported: true });
    expect(await log.pruneRefusals(limit)).toBe(1);
    expect(await log.lastRevisions([first, second, 'request-1', prunedRefusalsStream, 'pinpoint-1'])).toEqual(['none', 1, 0, 0, 0]);
    expect(await foundInLog(file())).toEqual([]);
  });

  it('drops dry runs of undo jobs, and notes of such jobs, whose last event is old, and no job', async () => {
    const log = await open();
    await log.append('dry-undo-1', [at(old), at(old)], 'none', { imported: true });
    await log.append('dry-undo-2', [at(old), at(recent)], 'none', { imported: true });
    await log.append('undoing-1', [at(old)], 'none', { imported: true });
    await log.append('undo-1', [at(old)], 'none', { imported: true });
    await log.append('undos', [at(old)], 'none', { imported: true });
    await log.append('pinpoint-1', [at(old)], 'none', { imported: true });
    expect(await log.pruneUndos(limit)).toBe(2);
    expect(await log.lastRevisions(['dry-undo-1', 'dry-undo-2', 'undoing-1', 'undo-1', 'undos'])).toEqual(['none', 1, 'none', 0, 0]);
  });

  it('keeps the last event of the log, so that its head never moves back', async () => {
    const log = await open();
    await log.append(requestStream('1'), [at(old)], 'none', { imported: true });
    const { position } = await appended(log.append(requestStream('2'), [at(old)], 'none', { imported: true }));
    expect(await log.prune(limit)).toBe(1);
    expect((await log.state()).head).toBe(position);
    expect(idsOf(await log.read('request-1', 0))).toEqual([]);
  });

  it('does not stop subscriptions', async () => {
    const log = await open();
    await Promise.all(['1', '2', '3'].map((key) => log.append(requestStream(key), [at(old)], 'none', { imported: true })));
    const kept = at(recent);
    await log.append(newStream(), [kept], 'none');
    await log.prune(limit);
    const abort = new AbortController();
    const seen: string[] = [];
    await log.subscribe(
      0,
      async (batch) => {
        seen.push(...idsOf(batch));
        abort.abort();
      },
      abort.signal,
    );
    expect(seen).toEqual([kept.envelope.id]);
  });
});
