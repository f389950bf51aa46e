import { existsSync, rmSync } from 'node:fs';
import { isNoRoom } from '@waymark/files/no-room.ts';
import SQLite, { type Database } from 'better-sqlite3';
import { ProofsUnavailable } from '../proof-store.ts';
import { schemaVersion, tables } from './schema.ts';

/** The page cache of a connection, in KiB. It grows with what is read and written. */
const cacheKibibytes = 4_096;
/** How long a connection may block its thread for a lock. */
const waitMs = 1_000;
/** Pages in the WAL before a checkpoint moves them to the file. */
const checkpointPages = 4_000;
/** The size that the WAL is truncated to after a long read has let it grow. */
const walBytesMax = 64 * 1_024 * 1_024;

/** Opens a file for the one process that writes it. Creates it where there is none, and where there is one that cannot be used: everything in
 * it is computed from the log.
 * @throws SqliteError, for example where the disk is full */
export const openFile = (file: string): Database => {
  try {
    // The companions of a file that was removed would be applied to the new one.
    if (!existsSync(file)) remove(file);
    return openOrCreate(file);
  } catch (error) {
    if (isNoRoom(error)) throw error;
    remove(file);
    return openOrCreate(file);
  }
};

/** Removes a file and its companions. */
export const remove = (file: string): void => {
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
};

const openOrCreate = (file: string): Database => {
  const db = new SQLite(file, { timeout: waitMs });
  try {
    db.pragma(`cache_size = -${cacheKibibytes}`);
    db.pragma('journal_mode = WAL');
    // The log is the source of truth: changes that a power failure removes here are applied again.
    db.pragma('synchronous = NORMAL');
    db.pragma(`wal_autocheckpoint = ${checkpointPages}`);
    db.pragma(`journal_size_limit = ${walBytesMax}`);
    if (db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined)
      db.exec(`BEGIN; ${tables} PRAGMA user_version = ${schemaVersion}; COMMIT`);
    checkVersion(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};

/** Opens a file for reading.
 * @throws ProofsUnavailable where there is none, or one of another version; SqliteError */
export const openReader = (file: string): Database => {
  if (!existsSync(file)) throw new ProofsUnavailable('There is no proof store yet.');
  const db = new SQLite(file, { readonly: true, timeout: waitMs });
  try {
    db.pragma(`cache_size = -${cacheKibibytes}`);
    checkVersion(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};

const checkVersion = (db: Database): void => {
  const version = db.pragma('user_version', { simple: true });
  if (version !== schemaVersion) throw new ProofsUnavailable(`The proof store is of version ${version}; ${schemaVersion} is needed.`);
};
