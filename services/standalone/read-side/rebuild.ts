import { Worker } from 'node:worker_threads';
import type { SqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import type { DataDirectory } from '../data-directory/data-directory.ts';
import { dropFile } from '../data-directory/data-directory.ts';
import { dropOthers, nextFile } from './generations.ts';
import type { ProjectorMessage } from './projector-thread.ts';

/** The input of the rebuild thread. */
export type RebuildData = {
  readonly log: string;
  readonly file: string;
  /** The last position to apply; null: the head of the log when the thread reads it. */
  readonly upTo: number | null;
  /** The memory that the process plans with. */
  readonly memoryBytes: number;
};
/** The result of the rebuild thread. */
export type RebuildDone = { readonly events: number; readonly seconds: number };

/** Fills a file with the read models of a log, in a separate thread. If that fails, rejects and removes the file. */
export const fillReadSide = async (data: RebuildData): Promise<RebuildDone> => {
  try {
    return await new Promise((resolve, reject) => {
      const worker = new Worker(new URL('./rebuild-thread.ts', import.meta.url), { workerData: data });
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('The rebuild thread ended without a result.')));
    });
  } catch (error) {
    dropFile(data.file);
    throw error;
  }
};

export type RebuildOptions = {
  readonly directory: DataDirectory;
  readonly log: SqliteEventLog;
  readonly memoryBytes: number;
  /** Makes the readers of all threads close a file that is no longer the current one. */
  readonly refreshReaders: () => Promise<void>;
};

/** Rebuilds the read models from the log while the current ones stay in use. The projector then applies the events appended in the
 * meantime, and shows the new file to the readers. */
export const rebuild = async ({ directory, log, memoryBytes, refreshReaders }: RebuildOptions): Promise<RebuildDone> => {
  const file = nextFile(directory.readModels);
  const done = await fillReadSide({ log: directory.log, file, upTo: null, memoryBytes });
  await log.askFollower({ kind: 'switch', file } satisfies ProjectorMessage);
  await refreshReaders();
  dropOthers(directory.readModels);
  return done;
};
