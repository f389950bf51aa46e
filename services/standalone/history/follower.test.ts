import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { erase } from '@waymark/event-log/erasure/erase.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { operators, sealFact } from '@waymark/event-log/seal.ts';
import { openSqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { openLogReader } from '@waymark/event-log/sqlite/reader.ts';
import { temporaryFiles } from '@waymark/read-models/testing/temporary-files.ts';
import SQLite from 'better-sqlite3';
import { followLog, type HistoryFollower } from './follower.ts';

const newFile = temporaryFiles();
const { PinpointCreated: created } = sampleEvents;
const { account } = created;
const secret = 'the name of a person';
/** More often than the follower looks for events. */
const writeEveryMs = 50;
const boundMs = 60_000;

const createPinpoint = async (log: EventLog, pinpoint: number, name: string): Promise<void> => {
  const fact = { ...created, pinpoint, fields: { ...created.fields, name } };
  await log.append(`pinpoint-${pinpoint}`, [sealFact(fact, { account, origin: operators })], 'none');
};

const until = async (holds: () => boolean): Promise<void> => {
  for (const endMs = performance.now() + boundMs; !holds(); await pause(20)) {
    if (performance.now() > endMs) throw new Error('It took too long.');
  }
};

const isIn = (file: string): boolean =>
  ['', '-wal'].some((end) => existsSync(`${file}${end}`) && readFileSync(`${file}${end}`).includes(secret));

type Following = { readonly log: EventLog; readonly follower: HistoryFollower; readonly file: string; readonly failures: readonly Error[] };

/** Follows a log to which something writes without a pause, and whose first pinpoint had the secret name. */
const following = async (use: (one: Following) => Promise<void>): Promise<void> => {
  const [logFile, file] = [newFile(), newFile()];
  const log = await openSqliteEventLog({ file: logFile });
  await createPinpoint(log, 1, secret);
  const edited = { type: 'PinpointEdited', pinpoint: 1, fields: { name: 'any' } } as const;
  await log.append('pinpoint-1', [sealFact(edited, { account, origin: operators })], 0);
  const { reader, close } = openLogReader(logFile);
  const failures: Error[] = [];
  const follower = followLog(reader, file, (error) => failures.push(error));
  let last = 1;
  const writes = setInterval(() => {
    last += 1;
    void createPinpoint(log, last, 'any').catch((error: unknown) => failures.push(error as Error));
  }, writeEveryMs);
  try {
    await until(() => follower.applied.at() > 0);
    await use({ log, follower, file, failures });
  } finally {
    clearInterval(writes);
    await follower.close();
    close();
    await log.close();
  }
};

describe('a history that follows a log to which something writes without a pause', () => {
  it('removes what was erased, although nothing waits for that', () =>
    following(async ({ log, follower, file, failures }) => {
      await erase(log, 'pinpoint-1');
      const through = (await log.state()).head;
      await until(() => follower.cleaned.at() >= through);
      expect(isIn(file)).toBe(false);
      expect(failures).toEqual([]);
    }));

  it('goes on while something else reads its file, and removes what was erased afterwards', () =>
    following(async ({ log, follower, file, failures }) => {
      const other = new SQLite(file);
      other.exec('BEGIN; SELECT * FROM entry');
      await erase(log, 'pinpoint-1');
      const through = (await log.state()).head;
      await until(() => failures.length > 0);
      expect(follower.cleaned.at()).toBeLessThan(through);
      const open = follower.history();
      const applied = follower.applied.at();
      await until(() => follower.applied.at() > applied);
      expect(open).toBeDefined();
      expect(follower.history()).toBe(open);
      other.close();
      await until(() => follower.cleaned.at() >= through);
      expect(isIn(file)).toBe(false);
    }));
});

describe('The history of a log with large changes of a list', () => {
  it('is applied in small batches, so that questions are answered in between', async () => {
    const [logFile, file] = [newFile(), newFile()];
    const log = await openSqliteEventLog({ file: logFile });
    const { ListCreated: list, PinpointsAdded: added, PinpointsRemoved: removed } = sampleEvents;
    const pinpoints = Array.from({ length: 1_000 }, (_, nth) => 2_000_000_001 + nth);
    const changes = Array.from({ length: 100 }, (_, nth) => ({ ...(nth % 2 === 0 ? added : removed), list: 1, pinpoints }));
    const events = [{ ...list, list: 1 }, ...changes].map((fact) => sealFact(fact, { account, origin: operators }));
    for (const [nth, event] of events.entries()) await log.append('list-1', [event], nth === 0 ? 'none' : nth - 1);
    const { head } = await log.state();
    const { reader, close } = openLogReader(logFile);
    const follower = followLog(reader, file, (error) => {
      throw error;
    });
    const seen = new Set<number>();
    while (!seen.has(head)) {
      seen.add(follower.applied.at());
      await nextTurn();
    }
    expect(seen.size).toBeGreaterThan(2);
    await follower.close();
    close();
    await log.close();
  });
});

describe('The history of a log that is damaged behind the position of the history', () => {
  const marked = 'the name on the damaged page';
  /** Overwrites the page of a log that contains the marked name. */
  const damage = (logFile: string): void => {
    const db = new SQLite(logFile);
    db.pragma('wal_checkpoint(TRUNCATE)');
    const pageBytes = Number(db.pragma('page_size', { simple: true }));
    db.close();
    const at = readFileSync(logFile).indexOf(marked);
    expect(at).toBeGreaterThan(0);
    const handle = openSync(logFile, 'r+');
    writeSync(handle, Buffer.alloc(pageBytes, 0xa5), 0, pageBytes, at - (at % pageBytes));
    closeSync(handle);
  };

  it('keeps what it has: the log could not fill it again', async () => {
    const [logFile, file] = [newFile(), newFile()];
    const log = await openSqliteEventLog({ file: logFile });
    const follow = async (use: (follower: HistoryFollower, failures: readonly Error[]) => Promise<void>): Promise<void> => {
      const { reader, close } = openLogReader(logFile);
      const failures: Error[] = [];
      const follower = followLog(reader, file, (error) => failures.push(error));
      await use(follower, failures);
      await follower.close();
      close();
    };
    for (let id = 1; id <= 100; id += 1) await createPinpoint(log, id, 'any');
    const { head } = await log.state();
    await follow((follower) => until(() => follower.applied.at() === head));
    for (let id = 101; id <= 300; id += 1) await createPinpoint(log, id, id === 200 ? marked : 'any');
    await log.close();
    damage(logFile);
    await follow(async (_, failures) => {
      await until(() => failures.length >= 3);
      expect(new Set(failures.map(({ message }) => message))).toEqual(new Set(['The event log cannot be read.']));
    });
    const history = new SQLite(file, { readonly: true });
    expect(history.prepare('SELECT count(*) FROM entry').pluck().get()).toBe(head);
    history.close();
  });
});
