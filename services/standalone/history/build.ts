import { Worker } from 'node:worker_threads';
import type { SqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { type DataDirectory, dropFile } from '../data-directory/data-directory.ts';
import type { HistoryThread } from './history.ts';

/** The input of the thread that builds a history. */
export type BuildData = {
  /** The file of the log. */
  readonly log: string;
  /** The file to build. */
  readonly file: string;
  /** The last position to apply. */
  readonly upTo: number;
};

/** Builds the history again, while the current one stays in use, and then replaces it. */
export const rebuildHistory = async (
  { log: file, nextHistory: next }: Pick<DataDirectory, 'log' | 'nextHistory'>,
  log: Pick<SqliteEventLog, 'followed'>,
  history: Pick<HistoryThread, 'replace'>,
): Promise<void> => {
  dropFile(next);
  await buildHistory({ log: file, file: next, upTo: log.followed() });
  await history.replace(next);
};

/** Builds a history from the log in a new file, in a separate thread. If that fails, rejects and removes the file. */
export const buildHistory = async (data: BuildData): Promise<void> => {
  try {
    await new Promise<void>((resolve, reject) => {
      const worker = new Worker(new URL('./build-thread.ts', import.meta.url), { workerData: data });
      worker.once('message', () => resolve());
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('The thread that builds a history ended without a result.')));
    });
  } catch (error) {
    dropFile(data.file);
    throw error;
  }
};
