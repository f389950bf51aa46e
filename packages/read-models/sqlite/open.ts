import { existsSync } from 'node:fs';
import SQLite, { type Database } from 'better-sqlite3';
import { projectionVersion } from '../projection/projection.ts';
import { ReadModelsUnavailable } from '../read-models.ts';
import { pageCache } from './page-cache.ts';
import { hiddenIndex, pageIndexes, tables } from './schema.ts';

// The file's `user_version` is its `fileVersion`, and 0 until the file is complete. A file of an unfinished rebuild or of another release is
// therefore never read, except that of a release before 0.3.0.

/** The version of a file: that of the projection, and that of the file's own form. In form 1, deleted content is overwritten. A file of a
 * release before 0.3.0 has the version of the projection alone: its free pages may hold deleted content. */
export const fileVersion = projectionVersion * 100 + 1;

/** How long a reader may block its thread for a lock. Only the recovery of a crashed writer's WAL takes such a lock. */
const readerWaitMs = 100;
const writerWaitMs = 5_000;
/** Pages in the WAL before a checkpoint moves them to the file. A WAL of about 16 MiB means fewer checkpoints, each of which needs fsyncs. */
const checkpointPages = 4_000;
/** The size that the WAL is truncated to after a long read has let it grow. */
const walBytesMax = 64 * 1_024 * 1_024;

/** Opens a file for reading.
 * @param memoryBytes the memory that the process plans with. Without it, as for a single query of the file, the page cache is small.
 * @throws ReadModelsUnavailable, SqliteError */
export const openReader = (file: string, memoryBytes = 0): Database => {
  if (!existsSync(file)) throw new ReadModelsUnavailable(`${file} does not exist.`);
  return prepared(new SQLite(file, { readonly: true, fileMustExist: true, timeout: readerWaitMs }), memoryBytes, checkVersion);
};

/** Opens a file for writing, and creates it where there is none.
 * @throws ReadModelsUnavailable, SqliteError */
export const openWriter = (file: string, memoryBytes = 0): Database =>
  prepared(new SQLite(file, { timeout: writerWaitMs }), memoryBytes, (db) => {
    db.pragma('journal_mode = WAL');
    // The log is the source of truth: changes that a power failure removes here are applied again.
    db.pragma('synchronous = NORMAL');
    db.pragma('secure_delete = ON'); // deleted content is overwritten
    db.pragma(`wal_autocheckpoint = ${checkpointPages}`);
    db.pragma(`journal_size_limit = ${walBytesMax}`);
    if (isEmpty(db)) db.exec(`BEGIN; ${tables} ${pageIndexes} PRAGMA user_version = ${fileVersion}; COMMIT`);
    checkVersion(db);
    db.exec(hiddenIndex);
  });

/** Whether nothing of deleted content is left in a file: `unclean` if an earlier release has written it, `busy` while a reader blocks the
 * emptying of the write-ahead log. */
export type Cleaned = 'clean' | 'busy' | 'unclean';

/** Moves all that was committed into the file, whose deleted content is overwritten, and leaves nothing in the write-ahead log. */
export const clean = (db: Database): Cleaned => {
  if (db.pragma('user_version', { simple: true }) !== fileVersion) return 'unclean';
  db.pragma('busy_timeout = 0'); // writes must not wait
  try {
    const [checkpoint] = db.pragma('wal_checkpoint(TRUNCATE)') as { readonly busy: 0 | 1 }[];
    return checkpoint?.busy === 0 ? 'clean' : 'busy';
  } finally {
    db.pragma(`busy_timeout = ${writerWaitMs}`);
  }
};

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
  if (version === fileVersion || version === projectionVersion) return;
  const what = version === 0 ? 'was never completed' : `has version ${version}`;
  throw new ReadModelsUnavailable(`${db.name} ${what}; version ${fileVersion} is needed.`);
};
