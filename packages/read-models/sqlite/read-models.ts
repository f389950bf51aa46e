import type { Database } from 'better-sqlite3';
import { oneLargePagePerTurn } from '../page-turns.ts';
import { type ContradictoryEvent, projectEvents } from '../projection/projection.ts';
import { type ReadModels, ReadModelsUnavailable } from '../read-models.ts';
import { sqliteApply } from './apply.ts';
import { sqliteMembership } from './membership.ts';
import { type Cleaned, clean, openReader, openWriter } from './open.ts';
import { createPages } from './pages.ts';
import { sqliteApplication, sqliteApplications, sqliteFind, sqlitePosition } from './reads.ts';
import { sqliteWrites } from './writes.ts';

export type { Cleaned } from './open.ts';
export { sqliteRebuild } from './rebuild.ts';
export { sqliteDigest, sqliteHighestIds, sqliteRows } from './rows.ts';

export type SqliteReadModels = ReadModels & {
  /** Only of a writer. @throws ReadModelsUnavailable */
  readonly clean: () => Cleaned;
  readonly close: () => void;
};

export type SqliteReadModelsOptions = {
  readonly file: string;
  /** A reader waits for the file to appear. The only writer creates it where there is none. */
  readonly mode: 'reader' | 'writer';
  /** The memory that the process plans with; the page cache is a share of it. Without it, the cache is small. */
  readonly memoryBytes?: number | undefined;
  /** Only for a reader: called with each error of SQLite. */
  readonly failed?: ((error: Error) => void) | undefined;
  /** Only for a writer. */
  readonly contradicted?: ContradictoryEvent | undefined;
};

/** Opens read models in a SQLite file. The port requires promises, but each call has finished, in this thread, when it returns.
 * @throws ReadModelsUnavailable where a writer is given a file that cannot be used; with a reader its calls throw it. */
export const openSqliteReadModels = ({ file, mode, memoryBytes, failed, contradicted }: SqliteReadModelsOptions): SqliteReadModels =>
  mode === 'writer'
    ? writer(
        orUnavailable(() => openWriter(file, memoryBytes)),
        contradicted,
      )
    : reader(file, memoryBytes, failed);

const writer = (db: Database, contradicted: ContradictoryEvent | undefined): SqliteReadModels => {
  const apply = db.transaction(sqliteApply(db, projectEvents(sqliteWrites(db), contradicted))).immediate;
  const made = statements(db);
  let reads = (): Statements => made;
  return {
    ...readModels(() => reads(), undefined),
    apply: async (...batch) => orUnavailable(() => apply(...batch)),
    clean: () => orUnavailable(() => clean(db)),
    close: () => {
      reads = closed(db.name);
      db.close();
    },
  };
};

const reader = (file: string, memoryBytes: number | undefined, failed: SqliteReadModelsOptions['failed']): SqliteReadModels => {
  let db: Database | undefined;
  let reads = (): Statements => {
    db ??= openReader(file, memoryBytes);
    const made = statements(db);
    reads = () => made;
    return made;
  };
  return {
    ...readModels(() => reads(), failed),
    apply: async () => readOnly(file),
    clean: () => readOnly(file),
    close: () => {
      reads = closed(file);
      db?.close();
    },
  };
};

const readOnly = (file: string): never => {
  throw new Error(`${file} is open for reading only.`);
};

const closed = (file: string) => (): never => {
  throw new ReadModelsUnavailable(`${file} is closed.`);
};

type Statements = ReturnType<typeof statements>;

/** Prepares every statement, once. */
const statements = (db: Database) => ({
  find: sqliteFind(db),
  page: createPages(db),
  membership: sqliteMembership(db),
  application: sqliteApplication(db),
  applications: sqliteApplications(db),
  position: sqlitePosition(db),
  started: db.prepare<[], 1>('SELECT 1 FROM position LIMIT 1').pluck(),
});

/** Creates the methods that read. Without a position they read nothing, because missing objects must not look deleted or empty. */
const readModels = (connect: () => Statements, failed: SqliteReadModelsOptions['failed']): Omit<ReadModels, 'apply'> => {
  let started = false;
  const reads = (): Statements => {
    const made = connect();
    started ||= made.started.get() === 1;
    if (!started) throw new ReadModelsUnavailable('The read models have no position yet.');
    return made;
  };
  const page = oneLargePagePerTurn((query) => orUnavailable(() => reads().page(query), failed));
  return {
    find: async (kind, id) => orUnavailable(() => reads().find(kind, id), failed),
    page,
    membership: async (list, pinpoints) => orUnavailable(() => reads().membership(list, pinpoints), failed),
    application: async (id) => orUnavailable(() => reads().application(id), failed),
    applications: async (after, limit) => orUnavailable(() => reads().applications(after, limit), failed),
    position: async (partition) => {
      const position = orUnavailable(() => reads().position(partition), failed);
      if (!position) throw new ReadModelsUnavailable(`The read models have no position in partition ${partition} yet.`);
      return position;
    },
  };
};

/** Turns an error of SQLite into an unavailability of the read models. */
const orUnavailable = <Value>(use: () => Value, failed?: SqliteReadModelsOptions['failed']): Value => {
  try {
    return use();
  } catch (error) {
    const { name, message } = error as Error;
    // Checked by name: the library's addon keeps the first error class that it was given, but code that loads the library again has another
    // one.
    if (name !== 'SqliteError') throw error;
    failed?.(error as Error);
    throw new ReadModelsUnavailable(message, { cause: error });
  }
};
