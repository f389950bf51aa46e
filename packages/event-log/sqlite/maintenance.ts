import { closeSync, openSync, rmSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { LogState } from '../event-log.ts';
import { createLogReader } from './reader.ts';
import { openReader, openWriter, renewIncarnation } from './schema.ts';

/** Pages (of 4 KiB) copied in one turn of the event loop. */
const copyPagesMax = 200;

/** Copies the log as it stands now into a new file (mode 0600), while it may be written on: one read transaction holds the copy
 * together. @returns which log the copy is and how far it reaches */
export const copyLog = async (file: string, copy: string): Promise<LogState> => {
  const db = openReader(file);
  try {
    closeSync(openSync(copy, 'wx', 0o600));
    db.exec('begin');
    const state = createLogReader(db).state(); // from here on it sees nothing new
    await db.backup(copy, { progress: () => copyPagesMax }).catch((error) => {
      rmSync(copy);
      throw error;
    });
    return state;
  } finally {
    db.close();
  }
};

/** Gives the log in a file that nobody has open a new incarnation, as after a backup was restored. @returns the old one */
export const renewLog = (file: string): string => {
  openReader(file).close(); // a log that is not there is not to be made
  const db = openWriter(file);
  try {
    const { incarnation } = createLogReader(db).state();
    renewIncarnation(db, incarnation);
    return incarnation;
  } finally {
    db.close();
  }
};

/** Looks through the whole file, in a thread of its own, while it may be written on: the file itself, the order of every stream, every
 * content against its commitment. @returns what is wrong, at most `findingsMax` sentences */
export const checkLog = (file: string, findingsMax = 100): Promise<readonly string[]> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./check-thread.ts', import.meta.url), { workerData: { file, findingsMax } });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The check was cut off.')));
  });
