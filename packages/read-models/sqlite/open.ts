import { existsSync } from 'node:fs';
import SQLite, { type Database } from 'better-sqlite3';
import { projectionVersion } from '../projection/projection.ts';
import { ReadModelsUnavailable } from '../read-models.ts';
import { pageCache } from './page-cache.ts';
import { pageIndexes, tables } from './schema.ts';

// The file's `user_version` is the version of the projection that made it, and 0 until it is complete: what a rebuild left half-done, or
// another release made, is never read.

/** How long a reader may hold up its thread for a lock; only the recovery of a crashed writer's WAL takes one. */
const readerWaitMs = 100;
const writerWaitMs = 5_000;
/** Pages in the WAL before they are moved to the file: fewer moves, each with its fsyncs, for a WAL of some 16 MiB. */
const checkpointPages = 4_000;
/** What the WAL shrinks to after a long reader has let it grow. */
const walBytesMax = 64 * 1_024 * 1_024;

/** @param memoryBytes what the process plans with; without it, as for one look at the file, the page cache is small.
 * @throws ReadModelsUnavailable, SqliteError */
export const openReader = (file: string, memoryBytes = 0): Database => {
  if (!existsSync(file)) throw new ReadModelsUnavailable(`${file} does not exist.`);
  return prepared(new SQLite(file, { readonly: true, fileMustExist: true, timeout: readerWaitMs }), memoryBytes, checkVersion);
};

/** Makes the file where there is none. @throws ReadModelsUnavailable, SqliteError */
export const openWriter = (file: string, memoryBytes = 0): Database =>
  prepared(new SQLite(file, { timeout: writerWaitMs }), memoryBytes, (db) => {
    db.pragma('journal_mode = WAL');
    // The log is the truth: what a power cut takes from here is applied again.
    db.pragma('synchronous = NORMAL');
    db.pragma(`wal_autocheckpoint = ${checkpointPages}`);
    db.pragma(`journal_size_limit = ${walBytesMax}`);
    if (isEmpty(db)) db.exec(`BEGIN; ${tables} ${pageIndexes} PRAGMA user_version = ${projectionVersion}; COMMIT`);
    checkVersion(db);
  });

const prepared = (db: Database, memoryBytes: number, prepare: (db: Database) => void): Database => {
  try {
    db.pragma(pageCache('connection', memoryBytes));
    prepare(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};

const isEmpty = (db: Database): boolean => db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;

const checkVersion = (db: Database): void => {
  const version = db.pragma('user_version', { simple: true });
  if (version === projectionVersion) return;
  const what = version === 0 ? 'was never completed' : `was made by version ${version} of the projection`;
  throw new ReadModelsUnavailable(`${db.name} ${what}; version ${projectionVersion} is needed.`);
};
