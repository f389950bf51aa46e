import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import SQLite, { type Database } from 'better-sqlite3';
import { createChangeBuffer } from '../projection/buffer.ts';
import type { Lookup } from '../projection/change.ts';
import { type PackedEvents, packEvents, projectPacked } from '../projection/packed.ts';
import type { ReadModels, ReadPosition } from '../read-models.ts';
import { sqliteApply } from './apply.ts';
import { fileVersion, openWriter } from './open.ts';
import { heldCharacters, pageCache } from './page-cache.ts';
import { hiddenIndex, pageIndexes, tables } from './schema.ts';
import { sqliteWrites } from './writes.ts';

// No other process uses the file yet, and a lost file is rebuilt. Locks are therefore never released, and nothing is synced.
const pragmas = ['locking_mode = EXCLUSIVE', 'journal_mode = MEMORY', 'synchronous = OFF', 'secure_delete = ON'];

export type SqliteRebuild = {
  /** Applies events as all read models do. After an error the file cannot be used.
   * @throws NewerEvent */
  readonly apply: ReadModels['apply'];
  /** Applies packed events; otherwise like `apply`. */
  readonly applyPacked: (partition: number, after: number, packed: PackedEvents, to: ReadPosition) => boolean;
  /** Completes the file durably, so that `openSqliteReadModels` can open it. */
  readonly finish: () => void;
  /** Abandons the rebuild. The file stays, but cannot be used. */
  readonly close: () => void;
};

export type SqliteRebuildOptions = {
  readonly file: string;
  /** The memory that the process plans with. Without it, the page cache and the buffered changes are small. */
  readonly memoryBytes?: number;
  /** The maximum number of events whose changes are buffered in memory between two commits. A crash loses them, but its incomplete file is
   * never read anyway. */
  readonly heldEventsMax?: number;
};

/** Fills a new file with a whole log, as fast as possible. The file cannot be read before `finish`. */
export const sqliteRebuild = ({ file, memoryBytes = 0, heldEventsMax = 50_000 }: SqliteRebuildOptions): SqliteRebuild => {
  if (existsSync(file)) throw new Error(`${file} exists already.`);
  const db = new SQLite(file);
  for (const pragma of [...pragmas, pageCache('rebuild', memoryBytes)]) db.pragma(pragma);
  db.exec(tables + hiddenIndex);
  const { apply, commit } = inLongTransactions(db, heldEventsMax, heldCharacters(memoryBytes));
  const orClose = <Value>(use: () => Value): Value => {
    try {
      return use();
    } catch (error) {
      db.close();
      throw error;
    }
  };
  return {
    apply: async (partition, after, events, to) => orClose(() => apply(partition, after, packEvents(events), to)),
    applyPacked: (...batch) => orClose(() => apply(...batch)),
    finish: () => {
      commit();
      db.exec(pageIndexes);
      complete(db, file);
    },
    close: () => {
      db.close();
    },
  };
};

const inLongTransactions = (db: Database, heldEventsMax: number, heldCharactersMax: number) => {
  let events = 0;
  let characters = 0;
  const { lookup, write } = sqliteWrites(db);
  const document: Lookup['document'] = (kind, id) => {
    // Between two facts, also within a batch: a fact looks up one document at most, before its changes.
    if (characters >= heldCharactersMax) {
      commit();
      db.exec('BEGIN');
    }
    const found = lookup.document(kind, id);
    // The buffer holds it as it was and as it becomes.
    characters += 2 * (found?.text.length ?? 0);
    return found;
  };
  const store = createChangeBuffer({ lookup: { ...lookup, document }, write });
  const applyBatch = sqliteApply(db, projectPacked(store));
  const commit = (): void => {
    store.flush();
    if (db.inTransaction) db.exec('COMMIT');
    events = 0;
    characters = 0;
  };
  const apply: typeof applyBatch = (partition, after, batch, to) => {
    if (!db.inTransaction) db.exec('BEGIN');
    const applied = applyBatch(partition, after, batch, to);
    events += batch.events;
    characters += batch.texts.length;
    if (events >= heldEventsMax || characters >= heldCharactersMax) commit();
    return applied;
  };
  return { apply, commit };
};

/** Marks the file as complete, after everything written is on the disk. */
const complete = (db: Database, file: string): void => {
  sync(file);
  db.pragma('synchronous = FULL');
  db.pragma(`user_version = ${fileVersion}`);
  db.close();
  // Turns it into a file with a WAL, which its readers expect.
  openWriter(file).close();
};

const sync = (file: string): void => {
  const descriptor = openSync(file, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};
