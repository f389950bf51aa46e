import { existsSync, statSync } from 'node:fs';
import type { NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import Database from 'better-sqlite3';
import { eventLogContract } from '../contract/event-log.ts';
import { LogUnavailable } from '../event-log.ts';
import { commitsIn } from '../testing/commits.ts';
import { recorder } from '../testing/recorders.ts';
import { appended, newStream, someEvent, someEvents } from '../testing/some-events.ts';
import { connectedLogOfItsOwn, logOfItsOwn, temporaryLogs } from '../testing/temporary-logs.ts';
import { appendsAtOnce, waitingMax } from './append-queue.ts';
import { ageMaxMs } from './event-times.ts';
import { createLogReader } from './reader.ts';
import { openReader, openWriter } from './schema.ts';

const { file, open } = temporaryLogs();

eventLogContract('sqlite', logOfItsOwn);
eventLogContract('sqlite, with a follower', () => logOfItsOwn(recorder()));
eventLogContract('sqlite, in a connected thread', () => connectedLogOfItsOwn(recorder()));

describe('the time of an event in the SQLite log', () => {
  const agedMs = async (ageMs: number): Promise<{ readonly before: NewEvent; readonly after: RecordedEvent | undefined }> => {
    const log = await open();
    const stream = newStream();
    const event = someEvent();
    const before = { ...event, envelope: { ...event.envelope, time: new Date(Date.now() - ageMs).toISOString() } };
    await log.append(stream, [before], 'none');
    return { before, after: (await log.read(stream, 0))[0] };
  };

  it('is that of its commit where the event is over 5 s old by then, and nothing else of it changes', async () => {
    const startedMs = Date.now();
    const { before, after } = await agedMs(ageMaxMs + 1);
    expect(after).toMatchObject({ ...before, envelope: { ...before.envelope, time: expect.any(String) } });
    expect(Date.parse(after?.envelope.time ?? '')).toBeGreaterThanOrEqual(startedMs);
  });

  it('stays that of its seal where it is younger', async () => {
    const { before, after } = await agedMs(0);
    expect(after?.envelope).toEqual(before.envelope);
  });
});

describe('the file of the SQLite log', () => {
  it('is synced with every commit, before and after the first write', () => {
    const db = openWriter(file());
    const insert = db.prepare('insert into event values (?, ?, 0, ?, null, null)');
    for (let position = 1; position <= 3; position += 1) {
      insert.run(position, newStream(), '{}');
      expect(db.pragma('synchronous', { simple: true })).toBe(2);
    }
    db.close();
  });

  it('would not be synced by default, as the library is compiled', () => {
    const db = new Database(file());
    db.pragma('journal_mode = WAL');
    db.exec('create table anything (one)');
    expect(db.pragma('synchronous', { simple: true })).toBe(1);
    db.close();
  });

  it('is checkpointed only by its writer', () => {
    openWriter(file()).close();
    const db = openReader(file());
    expect(db.pragma('wal_autocheckpoint', { simple: true })).toBe(0);
    expect(db.pragma('synchronous', { simple: true })).toBe(2);
    expect(() => db.exec("update log set incarnation = ''")).toThrow('readonly');
    db.close();
  });

  it('is accessible only to its owner', async () => {
    const log = await open();
    await log.append(newStream(), [someEvent()], 'none');
    const modes = ['', '-wal', '-shm'].map((suffix) => statSync(file() + suffix).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
  });

  it('is refused where another release created it', async () => {
    const db = openWriter(file());
    db.pragma('user_version = 99');
    db.close();
    await expect(open()).rejects.toThrow('another release');
  });

  it('is given an installation once where v0.1.0 created it, and keeps it', async () => {
    const old = logOfFirstRelease(file());
    expect(createLogReader(old).state()).toEqual({ incarnation: 'first', installation: '', head: 0 });
    old.close();
    const [one, other] = [openWriter(file()), openWriter(file())];
    const [{ installation }, known] = [createLogReader(one).state(), createLogReader(other).state()];
    expect(installation).toMatch(/^[0-9a-f-]{36}$/);
    expect(known).toEqual({ incarnation: 'first', installation, head: 0 });
    one.close();
    other.close();
    expect((await (await open()).state()).installation).toBe(installation);
  });

  it('is one file once the log is closed', async () => {
    const log = await open();
    await log.append(newStream(), [someEvent()], 'none');
    await log.close();
    expect([existsSync(file()), existsSync(`${file()}-wal`)]).toEqual([true, false]);
  });

  it('keeps its incarnation and its events over a restart', async () => {
    const before = await open();
    const stream = newStream();
    await before.append(stream, someEvents(3), 'none');
    const [state, events] = [await before.state(), await before.read(stream, 0)];
    await before.close();
    const after = await open();
    expect(await after.state()).toEqual(state);
    expect(await after.read(stream, 0)).toEqual(events);
    expect(await after.append(stream, [someEvent()], 2)).toMatchObject({ outcome: 'appended', revision: 3 });
  });

  it('gives out no position twice, even when the last events were deleted', async () => {
    const before = await open();
    const { position } = await appended(before.append(newStream(), someEvents(5), 'none'));
    await before.close();
    const db = openWriter(file());
    db.exec('delete from event where position > 2');
    db.close();
    const after = await open();
    expect((await after.state()).head).toBe(2);
    expect((await appended(after.append(newStream(), [someEvent()], 'none'))).position).toBe(position + 1);
  });
});

/** Creates the tables as v0.1.0 created them. */
const logOfFirstRelease = (path: string): Database.Database => {
  const db = new Database(path);
  db.pragma('journal_mode = WAL');
  db.exec(`
    create table log (one integer primary key check (one = 1), incarnation text not null, given integer not null) strict;
    create table event (position integer primary key, stream text not null, revision integer not null, envelope text not null, salt text,
      content text, unique (stream, revision)) strict;
    create trigger a_position_is_given_once after delete on event when old.position > (select given from log)
    begin
      update log set given = old.position;
    end;
    insert into log values (1, 'first', 0);
    pragma user_version = 1;
  `);
  return db;
};

describe('group commit', () => {
  it('makes one commit of the few appends in one turn of the event loop, and at most three of many', async () => {
    const log = await open();
    const appendInOneTurn = async (count: number): Promise<number> => {
      const before = commitsIn(file());
      await Promise.all(someEvents(count).map((event) => log.append(newStream(), [event], 'none')));
      return commitsIn(file()) - before;
    };
    expect(await appendInOneTurn(appendsAtOnce - 1)).toBe(1);
    expect(await appendInOneTurn(500)).toBeLessThanOrEqual(3);
  });

  it('gathers appends while it commits: many callers that append repeatedly share few commits', async () => {
    const log = await open();
    const before = commitsIn(file());
    const appendTen = async () => {
      for (let nth = 0; nth < 10; nth += 1) await log.append(newStream(), [someEvent()], 'none');
    };
    await Promise.all(Array.from({ length: 200 }, appendTen));
    expect(commitsIn(file()) - before).toBeLessThan(40);
  });

  it('decides each append of a turn on what those before it have written', async () => {
    const log = await open();
    const stream = newStream();
    const expected = ['none', 0, 'none', 1, 1, 5] as const;
    const outcomes = await Promise.all(expected.map((revision) => log.append(stream, [someEvent()], revision)));
    expect(outcomes.map((outcome) => outcome.outcome === 'appended' && outcome.revision)).toEqual([0, 1, false, 2, false, false]);
  });

  it('refuses appends for which it has no room, and continues once there is room', async () => {
    const log = await open();
    const batch = someEvents(1_000);
    const taken = Array.from({ length: waitingMax.events / 1_000 }, () => log.append(newStream(), batch, 'none'));
    await expect(log.append(newStream(), [someEvent()], 'none')).rejects.toThrow(LogUnavailable);
    expect(log.waiting().events).toBe(waitingMax.events);
    await Promise.all(taken);
    expect(log.waiting()).toEqual({ events: 0, characters: 0 });
    expect(await log.append(newStream(), [someEvent()], 'none')).toMatchObject({ outcome: 'appended' });
  });

  it('refuses an append without events', async () => {
    const log = await open();
    await expect(log.append(newStream(), [], 'none')).rejects.toThrow(RangeError);
  });
});

describe('closing the log', () => {
  it('finishes all earlier appends', async () => {
    const log = await open();
    const appends = Promise.all(someEvents(3_000).map((event) => log.append(newStream(), [event], 'none')));
    await log.close();
    expect((await appends).every(({ outcome }) => outcome === 'appended')).toBe(true);
  });

  it('refuses all later calls', async () => {
    const log = await open();
    await log.close();
    await expect(log.append(newStream(), [someEvent()], 'none')).rejects.toThrow(LogUnavailable);
    await expect(log.read(newStream(), 0)).rejects.toThrow(LogUnavailable);
    await expect(log.lastRevisions([newStream()])).rejects.toThrow(LogUnavailable);
    await expect(log.state()).rejects.toThrow(LogUnavailable);
  });
});
