import SQLite, { type Database } from 'better-sqlite3';
import { HistoryUnavailable } from '../history.ts';
import { historyVersion } from '../projection/projection.ts';
import { tables } from './schema.ts';

/** The version of a file: that of the projection, and that of the file's own form. Form 1 has numbers of accounts, smaller blocks of the index of
 * events, and larger pages. A file of a release before 0.6.0 has the version of the projection alone. */
const fileVersion = historyVersion * 100 + 2;

/** Larger pages than usual: each page that a batch changes is written twice, and most of them are new. */
const pageBytes = 8_192;
/** The page cache of the connection, in KiB. It grows with what is read and written. */
const cacheKibibytes = 8_192;
/** How long the connection may block its thread for a lock. Only `verify` reads the file beside it. */
const waitMs = 1_000;
/** Pages in the WAL before a checkpoint moves them to the file. */
const checkpointPages = 2_000;
/** The size that the WAL is truncated to after a long read has let it grow. */
const walBytesMax = 64 * 1_024 * 1_024;

/** Opens a file, and creates it where there is none.
 * @throws HistoryUnavailable where another version of the history made it, SqliteError */
export const openFile = (file: string): Database => {
  const db = new SQLite(file, { timeout: waitMs });
  try {
    db.pragma(`cache_size = -${cacheKibibytes}`);
    db.pragma(`page_size = ${pageBytes}`);
    db.pragma('journal_mode = WAL');
    // The log is the source of truth: changes that a power failure removes here are applied again.
    db.pragma('synchronous = NORMAL');
    db.pragma('secure_delete = ON'); // erased values are overwritten
    db.pragma(`wal_autocheckpoint = ${checkpointPages}`);
    db.pragma(`journal_size_limit = ${walBytesMax}`);
    if (isEmpty(db)) db.exec(`BEGIN; ${tables} PRAGMA user_version = ${fileVersion}; COMMIT`);
    checkVersion(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};

const isEmpty = (db: Database): boolean => db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;

const checkVersion = (db: Database): void => {
  const version = db.pragma('user_version', { simple: true });
  if (version !== fileVersion) {
    throw new HistoryUnavailable(`${db.name} was made by version ${version} of the history; version ${fileVersion} is needed.`);
  }
};
