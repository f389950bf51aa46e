import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NewerEvent } from '@waymark/domain/event-types.ts';
import SQLite from 'better-sqlite3';
import { readModelsContract } from '../contract/read-models.ts';
import { projectionVersion } from '../projection/projection.ts';
import { ReadModelsUnavailable } from '../read-models.ts';
import { listCreated, mine, numbers, pinpointCreated, pinpointDeleted, pinpointFields } from '../testing/facts.ts';
import { applyAll, at, beginning, recorder } from '../testing/recorder.ts';
import { rebuilt, temporaryFiles } from '../testing/temporary-files.ts';
import { membershipIdsMax, membershipRowsMax, sqliteMembership } from './membership.ts';
import { fileVersion } from './open.ts';
import { openSqliteReadModels, sqliteDigest, sqliteRebuild, sqliteRows } from './read-models.ts';

const newFile = temporaryFiles();

readModelsContract('SQLite', {
  runs: 25,
  open: async () => {
    const file = newFile();
    const models = openSqliteReadModels({ file, mode: 'writer' });
    return { ...models, dump: async () => [...sqliteRows(file)], close: async () => models.close() };
  },
  rebuild: async (events, batch) => {
    const file = newFile();
    await rebuilt(file, events, batch);
    return [...sqliteRows(file)];
  },
});

const { record } = recorder();
const [first, second] = [record(mine, pinpointCreated(1)), record(mine, pinpointCreated(2))];

describe('a reader of SQLite read models', () => {
  it('is unavailable until the file exists, then reads all commits of the writer on one connection', async () => {
    const file = newFile();
    const reader = openSqliteReadModels({ file, mode: 'reader' });
    await expect(reader.find('pinpoint', 1)).rejects.toThrow(ReadModelsUnavailable);
    const writer = openSqliteReadModels({ file, mode: 'writer' });
    await expect(reader.find('pinpoint', 1)).rejects.toThrow(ReadModelsUnavailable);
    await writer.apply(0, 0, [first], at(first));
    expect(await reader.find('pinpoint', 1)).toEqual(await writer.find('pinpoint', 1));
    await writer.apply(0, first.position, [second], at(second));
    expect(await reader.find('pinpoint', 2)).toBeDefined();
    expect(await reader.position(0)).toEqual(at(second));
    reader.close();
    writer.close();
  });

  it('reads the file of a writer that was closed', async () => {
    const file = newFile();
    const writer = openSqliteReadModels({ file, mode: 'writer' });
    await writer.apply(0, 0, [first], at(first));
    writer.close();
    const reader = openSqliteReadModels({ file, mode: 'reader' });
    expect(await reader.find('pinpoint', 1)).toBeDefined();
    reader.close();
    await expect(reader.find('pinpoint', 1)).rejects.toThrow(ReadModelsUnavailable);
  });

  it('rejects apply', async () => {
    const reader = openSqliteReadModels({ file: newFile(), mode: 'reader' });
    await expect(reader.apply(0, 0, [first], at(first))).rejects.toThrow('reading only');
  });

  it('is unavailable where the file is not a database, or its folder does not exist', async () => {
    const file = newFile();
    writeFileSync(file, 'Something else altogether. '.repeat(100));
    for (const path of [file, join(newFile(), 'nowhere.db')]) {
      const reader = openSqliteReadModels({ file: path, mode: 'reader' });
      await expect(reader.find('pinpoint', 1)).rejects.toThrow(ReadModelsUnavailable);
    }
    expect(() => openSqliteReadModels({ file, mode: 'writer' })).toThrow(ReadModelsUnavailable);
  });

  it('is unavailable where another version of the projection made the file', async () => {
    const file = newFile();
    await rebuilt(file, [first], 1);
    const db = new SQLite(file);
    db.pragma(`user_version = ${fileVersion + 1}`);
    db.close();
    const reader = openSqliteReadModels({ file, mode: 'reader' });
    await expect(reader.find('pinpoint', 1)).rejects.toThrow(ReadModelsUnavailable);
    expect(() => openSqliteReadModels({ file, mode: 'writer' })).toThrow(ReadModelsUnavailable);
  });
});

describe('a file of SQLite read models without the index of hidden happenings, as earlier releases have written it', () => {
  it('gets the index when a writer opens it', async () => {
    const file = newFile();
    await rebuilt(file, [first], 1);
    const db = new SQLite(file);
    db.exec('DROP INDEX happening_hidden');
    openSqliteReadModels({ file, mode: 'writer' }).close();
    expect(db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'happening_hidden'").get()).toBeDefined();
    db.close();
  });
});

describe('deleted content in the file of SQLite read models', () => {
  const secret = 'Zq7w-deleted-text';
  const long = (nth: number) => ({ ...pinpointFields, description: `<p>${secret} ${nth} `.padEnd(nth % 2 === 0 ? 100 : 9_000, 'x') });
  const history = [
    record(mine, { ...pinpointCreated(3), fields: long(1) }),
    ...Array.from({ length: 40 }, (_, nth) => record(mine, { type: 'PinpointEdited', pinpoint: 3, fields: long(nth) })),
    record(mine, { type: 'PinpointEdited', pinpoint: 3, fields: { ...pinpointFields, description: 'Public' } }),
  ];
  const isIn = (file: string): readonly boolean[] =>
    [file, `${file}-wal`].map((path) => existsSync(path) && readFileSync(path).includes(secret));

  it('is gone once the file is clean', async () => {
    const file = newFile();
    const writer = openSqliteReadModels({ file, mode: 'writer' });
    await applyAll(writer.apply, history, [7]);
    expect(isIn(file)).toContain(true);
    expect(writer.clean()).toBe('clean');
    expect(isIn(file)).toEqual([false, false]);
    writer.close();
  });

  it('is gone from a file that was rebuilt', async () => {
    const file = newFile();
    await rebuilt(file, history, 7);
    expect(isIn(file)).toEqual([false, false]);
  });

  it('may be there where an earlier release has written the file', async () => {
    const file = newFile();
    await rebuilt(file, history, 7);
    const db = new SQLite(file);
    db.pragma(`user_version = ${projectionVersion}`);
    db.close();
    const writer = openSqliteReadModels({ file, mode: 'writer' });
    expect(await writer.find('pinpoint', 3)).toBeDefined();
    expect(writer.clean()).toBe('unclean');
    writer.close();
  });

  it('may be there while a reader needs the write-ahead log, and writes do not wait for that', async () => {
    const file = newFile();
    const writer = openSqliteReadModels({ file, mode: 'writer' });
    await applyAll(writer.apply, history.slice(0, 3), [1]);
    const reader = new SQLite(file, { readonly: true });
    reader.exec('begin; select * from pinpoint');
    expect(writer.clean()).toBe('busy');
    reader.close();
    expect(writer.clean()).toBe('clean');
    writer.close();
  });
});

describe('a rebuild of SQLite read models', () => {
  it('cannot be read before it is finished', async () => {
    const file = newFile();
    const rebuild = sqliteRebuild({ file });
    const reader = openSqliteReadModels({ file, mode: 'reader' });
    await rebuild.apply(0, 0, [first], at(first));
    await expect(reader.find('pinpoint', 1)).rejects.toThrow(ReadModelsUnavailable);
    rebuild.finish();
    expect(await reader.find('pinpoint', 1)).toBeDefined();
    expect(await reader.position(0)).toEqual(at(first));
    reader.close();
  });

  it('can never be read if it was abandoned', async () => {
    const file = newFile();
    const rebuild = sqliteRebuild({ file });
    await rebuild.apply(0, 0, [first], at(first));
    rebuild.close();
    expect(() => openSqliteReadModels({ file, mode: 'writer' })).toThrow('was never completed');
    expect(() => sqliteRebuild({ file })).toThrow('exists already');
  });

  it('cannot be finished after an event that is newer than it knows', async () => {
    const rebuild = sqliteRebuild({ file: newFile() });
    const newer = { ...second, envelope: { ...second.envelope, version: 99 } };
    await expect(rebuild.apply(0, 0, [first, newer], at(newer))).rejects.toThrow(NewerEvent);
    expect(() => rebuild.finish()).toThrow();
  });

  it('can be continued by a writer', async () => {
    const file = newFile();
    await rebuilt(file, [first], 1);
    const writer = openSqliteReadModels({ file, mode: 'writer' });
    expect(await writer.apply(0, first.position, [second], at(second))).toBe(true);
    writer.close();
    const db = new SQLite(file);
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    db.close();
  });

  it('has the digest of read models that applied the log event by event', async () => {
    const [file, other] = [newFile(), newFile()];
    await rebuilt(file, [first, second], 2);
    const writer = openSqliteReadModels({ file: other, mode: 'writer' });
    await applyAll(writer.apply, [first, second], [1]);
    const digest = await sqliteDigest(other);
    expect(digest).toEqual(await sqliteDigest(file));
    expect(digest.positions).toEqual([{ partition: 0, ...at(second) }]);
    const third = record(mine, pinpointDeleted(1));
    await writer.apply(0, second.position, [third], at(third));
    expect((await sqliteDigest(other)).rows).not.toBe(digest.rows);
    writer.close();
  });
});

describe('the rows of SQLite read models', () => {
  it('are read at one moment, and may be left half-read', async () => {
    const file = newFile();
    const writer = openSqliteReadModels({ file, mode: 'writer' });
    await applyAll(writer.apply, [first, second]);
    const third = record(mine, pinpointDeleted(1));
    const rows = sqliteRows(file);
    const seen = [rows.next().value];
    await writer.apply(0, second.position, [third], at(third));
    seen.push(...rows);
    expect(seen).toHaveLength(2);
    expect(seen.join()).toContain('Pinpoint 1');
    for (const row of sqliteRows(file)) {
      expect(row).not.toContain('Pinpoint 1');
      break;
    }
    writer.close();
  });
});

describe('membership on SQLite', () => {
  it('reports a pinpoint as full whose lists are too many to examine', async () => {
    const file = newFile();
    await rebuilt(file, [first, record(mine, listCreated(9))], 1);
    const db = new SQLite(file);
    const full = (lists: number): ReadonlySet<number> => {
      db.exec(`UPDATE pinpoint SET lists = ${lists}`);
      return sqliteMembership(db)(9, [1]).full;
    };
    expect(full(membershipRowsMax)).toEqual(new Set());
    expect(full(membershipRowsMax + 1)).toEqual(new Set([1]));
    db.close();
  });

  it('rejects more ids than a request may contain', async () => {
    const writer = openSqliteReadModels({ file: newFile(), mode: 'writer' });
    await writer.apply(0, 0, [], beginning);
    await writer.membership(1, numbers(1, membershipIdsMax));
    await expect(writer.membership(1, numbers(0, membershipIdsMax))).rejects.toThrow(RangeError);
    writer.close();
  });
});
