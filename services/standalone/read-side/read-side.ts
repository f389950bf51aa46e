import { type ReadModels, ReadModelsUnavailable } from '@waymark/read-models/read-models.ts';
import { openSqliteReadModels, type SqliteReadModels } from '@waymark/read-models/sqlite/read-models.ts';

/** The read models for readers: unavailable until they are complete, then read from the current file. */
export type ReadSide = {
  readonly models: ReadModels;
  readonly ready: () => boolean;
  /** Switches all later reads to this file. */
  readonly open: (file: string) => void;
  readonly close: () => void;
};

/** Creates the read models for readers.
 * @param memoryBytes the memory that the process plans with */
export const openReadSide = (memoryBytes: number): ReadSide => {
  let current: SqliteReadModels | undefined;
  const models = (): ReadModels => current ?? incomplete;
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
    ready: () => current !== undefined,
    open: (file) => {
      const before = current;
      current = openSqliteReadModels({ file, mode: 'reader', memoryBytes });
      before?.close();
    },
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
