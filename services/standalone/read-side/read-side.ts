import { isDamaged } from '@waymark/files/damaged.ts';
import { type ReadModels, ReadModelsUnavailable } from '@waymark/read-models/read-models.ts';
import { openSqliteReadModels, type SqliteReadModels } from '@waymark/read-models/sqlite/read-models.ts';
import type { SharedNumber } from '@waymark/threads/shared-number.ts';
import { fileOf } from './generations.ts';

/** The read models for readers of one thread: unavailable until they are complete, then read from the current file. */
export type ReadSide = {
  readonly models: ReadModels;
  readonly ready: () => boolean;
  /** Closes a file that is no longer the current one. Each read does this too. */
  readonly refresh: () => void;
  readonly close: () => void;
};

export type ReadSideOptions = {
  /** The directory of the files. */
  readonly directory: string;
  /** The memory that the thread plans with. */
  readonly memoryBytes: number;
  /** The number of the current file; 0 until the read models are complete. The projector changes it before it acknowledges the first commit to
   * another file. */
  readonly shown: SharedNumber;
  /** The number of a file of which pages are damaged. The main thread has it built again. */
  readonly damaged: SharedNumber;
};

export const openReadSide = ({ directory, memoryBytes, shown, damaged }: ReadSideOptions): ReadSide => {
  let current: SqliteReadModels | undefined;
  let number = 0;
  const openNumbered = (opened: number): SqliteReadModels => {
    const failed = (error: Error): void => {
      if (isDamaged(error)) Atomics.store(damaged, 0, opened);
    };
    return openSqliteReadModels({ file: fileOf(directory, opened), mode: 'reader', memoryBytes, failed });
  };
  const refresh = (): void => {
    const now = Atomics.load(shown, 0);
    if (now === number) return;
    current?.close();
    current = openNumbered(now);
    number = now;
  };
  const models = (): ReadModels => {
    refresh();
    return current ?? incomplete;
  };
  return {
    models: {
      find: (kind, id) => models().find(kind, id),
      page: (query) => models().page(query),
      membership: (list, pinpoints) => models().membership(list, pinpoints),
      application: (id) => models().application(id),
      applications: (after, limit) => models().applications(after, limit),
      position: (partition) => models().position(partition),
      apply: (...batch) => models().apply(...batch),
    },
    ready: () => Atomics.load(shown, 0) !== 0,
    refresh,
    close: () => {
      current?.close();
      current = undefined;
    },
  };
};

const rejectUnavailable = (): Promise<never> => Promise.reject(new ReadModelsUnavailable('The read models are not complete yet.'));

const incomplete: ReadModels = {
  find: rejectUnavailable,
  page: rejectUnavailable,
  membership: rejectUnavailable,
  application: rejectUnavailable,
  applications: rejectUnavailable,
  position: rejectUnavailable,
  apply: rejectUnavailable,
};
