import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';

/** The minimum version of SQLite: earlier ones could corrupt a file when two connections met in a checkpoint. */
const sqliteVersionMin = '3.51.3';
/** The number of pages (of 4 KiB) to which the write-ahead log grows before the writer moves them into the file. */
const checkpointPages = 4_000;
/** How long closing waits for a reader to finish, in milliseconds. */
const closeWaitMs = 200;
const schemaVersion = 1;

const schema = `
  create table log (
    one integer primary key check (one = 1),
    incarnation text not null,
    given integer not null
  ) strict;
  create table event (
    position integer primary key,
    stream text not null,
    revision integer not null,
    envelope text not null,
    salt text,
    content text,
    unique (stream, revision)
  ) strict;
  create trigger a_position_is_given_once after delete on event when old.position > (select given from log)
  begin
    update log set given = old.position;
  end;
  pragma user_version = ${schemaVersion};
`;

/** Opens the log for writing, creates it where there is none, and verifies that its commits are durable.
 * @param given positions up to this one are never given out (again) */
export const openWriter = (file: string, given = 0): Database.Database => {
  createPrivate(file);
  const db = new Database(file);
  try {
    setUp(db);
    makeSchema(db);
    // This is a first write: only after one does `synchronous` return the value that is in force. It also settles what a failed commit left
    // behind.
    db.prepare('update log set given = max(given, ?)').run(given);
    assertDurable(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};

/** Closes the log and moves all that was committed into the one file. Where a reader blocks that, a later checkpoint does it. */
export const closeWriter = (db: Database.Database): void => {
  try {
    db.pragma(`busy_timeout = ${closeWaitMs}`);
    db.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
};

/** Opens the log for reading. A reader never moves pages from the write-ahead log: only the writer does. */
export const openReader = (file: string): Database.Database => {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  db.pragma('synchronous = FULL');
  db.pragma('wal_autocheckpoint = 0');
  return db;
};

// The file is created only where there is none: closing any other handle of a file drops the locks that SQLite's own connections hold on
// it.
const createPrivate = (file: string): void => {
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
};

/** Gives a log another incarnation, durably.
 * @returns the new one; undefined where the log has another one than expected */
export const renewIncarnation = (db: Database.Database, expected: string): string | undefined => {
  const incarnation = randomUUID();
  const { changes } = db.prepare('update log set incarnation = ? where incarnation = ?').run(incarnation, expected);
  return changes === 0 ? undefined : incarnation;
};

const setUp = (db: Database.Database): void => {
  db.pragma('journal_mode = WAL');
  // Set on every connection: better-sqlite3 is compiled to fall back to NORMAL with the first write.
  db.pragma('synchronous = FULL');
  db.pragma('fullfsync = ON'); // macOS: flushes the disk's own cache, too
  db.pragma(`wal_autocheckpoint = ${checkpointPages}`);
  db.pragma('secure_delete = ON'); // erased and dropped data is overwritten
};

const makeSchema = (db: Database.Database): void => {
  const version = versionIn(db);
  if (version === schemaVersion && hasInstallation(db)) return;
  if (version !== 0 && version !== schemaVersion) {
    throw new Error(`The event log was made by another release of Waymark: its schema is version ${version}.`);
  }
  db.transaction(() => {
    // The version is read again: another process may have been faster.
    if (versionIn(db) === 0) {
      db.exec(schema);
      db.prepare('insert into log values (1, ?, 0)').run(randomUUID());
    }
    if (hasInstallation(db)) return;
    db.exec('alter table log add column installation text');
    db.prepare('update log set installation = ?').run(randomUUID());
  }).immediate();
};

const versionIn = (db: Database.Database): unknown => db.pragma('user_version', { simple: true });

/** Returns whether the log has a column for its installation. v0.1.0 created the log without one, and also works with one. */
export const hasInstallation = (db: Database.Database): boolean =>
  (db.pragma('table_info(log)') as readonly { readonly name: string }[]).some(({ name }) => name === 'installation');

const assertDurable = (db: Database.Database): void => {
  const version = db.prepare<[], string>('select sqlite_version()').pluck().get() ?? '';
  if (older(version, sqliteVersionMin)) throw new Error(`SQLite ${version}: ${sqliteVersionMin} or later is needed.`);
  const mode = db.pragma('journal_mode', { simple: true });
  const synchronous = db.pragma('synchronous', { simple: true });
  if (mode !== 'wal' || synchronous !== 2) throw new Error(`journal_mode ${mode}, synchronous ${synchronous}: commits are not durable.`);
};

const older = (version: string, than: string): boolean => numberOf(version) < numberOf(than);

/** Returns a version as one number, as SQLite does: 3.51.2 is 3051002. */
const numberOf = (version: string): number => version.split('.').reduce((number, part) => number * 1_000 + Number(part), 0);
