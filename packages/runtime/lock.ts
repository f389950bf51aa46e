import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';

/** Another process owns the data directory. */
export class DirectoryInUse extends Error {}

/** The name of the file that is locked. */
export const lockFile = 'lock.db';
/** How long to wait for the lock. Without a wait, two processes that start at the same moment could both fail to get it. */
const lockWaitMs = 500;

/** Owns a directory until it is released, or until this process dies. The operating system drops a lock on a SQLite file with the process
 * that holds it, so no stale lock is ever left.
 * @throws DirectoryInUse */
export const lockDirectory = (directory: string): (() => void) => {
  const file = join(directory, lockFile);
  const db = new SQLite(file, { timeout: lockWaitMs });
  try {
    db.pragma('locking_mode = EXCLUSIVE');
    // Nothing is ever written to this file, not even a journal, for which a full disk has no room.
    db.pragma('journal_mode = MEMORY');
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
    throw new DirectoryInUse(`${directory} is in use by another process.`);
  }
  chmodSync(file, 0o600);
  return () => {
    db.close();
  };
};
