import { closeSync, openSync, rmSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { CheckedLog } from '../checked-log.ts';
import type { LogState } from '../event-log.ts';
import { createLogReader } from './reader.ts';
import { openReader } from './schema.ts';

/** The number of pages (of 4 KiB) that are copied in one turn of the event loop. */
const copyPagesMax = 200;

/** Copies the current log into a new file (mode 0600), while the log may be written. One read transaction keeps the copy consistent.
 * @returns the identity of the copy, and how far it reaches */
export const copyLog = async (file: string, copy: string): Promise<LogState> => {
  const db = openReader(file);
  try {
    closeSync(openSync(copy, 'wx', 0o600));
    db.exec('begin');
    const state = createLogReader(db).state(); // from here on, the transaction sees no new events
    await db.backup(copy, { progress: () => copyPagesMax }).catch((error) => {
      rmSync(copy);
      throw error;
    });
    return state;
  } finally {
    db.close();
  }
};

/** Checks the whole file in a separate thread, while the log may be written: the file itself, the order of every stream, and every content
 * against its commitment. Also compares the times of each account's events with each other.
 * @param findingsMax the number of sentences of each kind */
export const checkLog = (file: string, findingsMax = 100): Promise<CheckedLog> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./check-thread.ts', import.meta.url), { workerData: { file, findingsMax } });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The check was interrupted.')));
  });
