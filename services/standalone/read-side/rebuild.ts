import { Worker } from 'node:worker_threads';
import type { SqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import type { DataDirectory } from '../data-directory/data-directory.ts';
import { dropFile } from '../data-directory/data-directory.ts';
import { dropOthers, nextFile } from './generations.ts';
import type { ProjectorMessage } from './projector-thread.ts';
import type { ReadSide } from './read-side.ts';

/** What the rebuilding thread is given. */
export type RebuildData = {
  readonly log: string;
  readonly file: string;
  /** The last position to take in; null: the log's head as the thread finds it. */
  readonly upTo: number | null;
  /** What the process plans with. */
  readonly memoryBytes: number;
};
/** What it answers. */
export type RebuildDone = { readonly events: number; readonly seconds: number };

/** Fills a file with the read side of a log, in a thread of its own. Rejects, and leaves nothing, where that fails. */
export const fillReadSide = async (data: RebuildData): Promise<RebuildDone> => {
  try {
    return await new Promise((resolve, reject) => {
      const worker = new Worker(new URL('./rebuild-thread.ts', import.meta.url), { workerData: data });
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('The rebuild was cut off.')));
    });
  } catch (error) {
    dropFile(data.file);
    throw error;
  }
};

export type RebuildOptions = {
  readonly directory: DataDirectory;
  readonly log: SqliteEventLog;
  readonly readSide: ReadSide;
  readonly memoryBytes: number;
};

/** Makes the read side anew from the log while the present one serves; then the projector takes in what came meanwhile, and the readers
 * change over. */
export const rebuild = async ({ directory, log, readSide, memoryBytes }: RebuildOptions): Promise<RebuildDone> => {
  const file = nextFile(directory.readModels);
  const done = await fillReadSide({ log: directory.log, file, upTo: null, memoryBytes });
  await log.tell({ kind: 'switch', file } satisfies ProjectorMessage);
  readSide.open(file);
  dropOthers(directory.readModels);
  return done;
};
