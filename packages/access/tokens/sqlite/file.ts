import { closeSync, existsSync, openSync } from 'node:fs';
import { isNoRoom } from '@waymark/files/no-room.ts';
import Database from 'better-sqlite3';
import { busyTimeoutMs } from '../limits.ts';

const schemaVersion = 1;

const schema = `
  create table token (
    hash text primary key,
    expires_at_ms integer not null,
    record text not null
  ) strict, without rowid;
  create index token_by_expiry on token (expires_at_ms);
  pragma user_version = ${schemaVersion};
`;

/** Opens the file and proves that its commits are durable. Creates the file, readable only for its owner, if it does not exist. */
export const openTokens = (file: string): Database.Database => {
  // Only if it does not exist: closing another handle of a file drops the locks that SQLite's own connections hold on it.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  const db = new Database(file, { timeout: busyTimeoutMs });
  try {
    db.pragma('journal_mode = WAL');
    // better-sqlite3 is compiled to fall back to NORMAL at the first write unless this is set.
    db.pragma('synchronous = FULL');
    db.pragma('fullfsync = ON'); // macOS: flushes the cache of the disk too
    prepareFile(db);
    assertUndamaged(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};

/** Reads all pages: a damaged one would otherwise refuse each new token, or some of the known ones, until an operator removes the file.
 * @throws SqliteError */
const assertUndamaged = (db: Database.Database): void => {
  const found = db.pragma('quick_check(1)', { simple: true });
  if (found !== 'ok') throw new Database.SqliteError(`${db.name} is damaged: ${found}`, 'SQLITE_CORRUPT');
};

/** Opens the file for reading. Another connection of the process has prepared it. */
export const openTokensToRead = (file: string): Database.Database =>
  new Database(file, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });

/** Prepares and checks the file. On a full disk, tokens can be found but not stored until there is room. */
const prepareFile = (db: Database.Database): void => {
  try {
    makeSchema(db);
    assertDurable(db);
  } catch (error) {
    if (!isNoRoom(error) || db.pragma('user_version', { simple: true }) !== schemaVersion) throw error;
  }
};

const makeSchema = (db: Database.Database): void => {
  const version = db.pragma('user_version', { simple: true });
  if (version === 0) db.transaction(() => db.exec(schema))();
  else if (version !== schemaVersion) {
    throw new Error(`The tokens were stored by another release of Waymark: their schema is version ${version}.`);
  }
  // A first write: `synchronous` returns the value in force only after one.
  db.pragma(`user_version = ${schemaVersion}`);
};

/** @throws Error if a commit would return before it reaches the disk */
export const assertDurable = (db: Database.Database): void => {
  const mode = db.pragma('journal_mode', { simple: true });
  const synchronous = db.pragma('synchronous', { simple: true });
  if (mode !== 'wal' || synchronous !== 2) {
    throw new Error(`journal_mode ${mode}, synchronous ${synchronous}: tokens would not be durable.`);
  }
};
