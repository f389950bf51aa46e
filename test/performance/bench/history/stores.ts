import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { History } from '@waymark/history/history.ts';
import { openMongoHistory } from '@waymark/history/mongodb/history.ts';
import { openSqliteHistory } from '@waymark/history/sqlite/history.ts';
import { createMongoClient } from '@waymark/read-models/mongodb/client.ts';
import { ownName } from '@waymark/test-engines/test-engines.ts';
import SQLite from 'better-sqlite3';
import { keysExamined, rowsRead } from './entries-read.ts';
import { busiest } from './large-history.ts';

/** An empty history in a store of its own. */
export type Store = {
  readonly history: History;
  /** Reads one row in an index, with no other work: the unit with which the times of a run are compared. */
  readonly readRow: () => Promise<unknown>;
  /** Returns the bytes of all tables and indexes. */
  readonly bytes: () => Promise<number>;
  /** Returns the number of index entries that are read while something is done. */
  readonly entriesRead: (use: () => Promise<unknown>) => Promise<number>;
  /** Removes it. */
  readonly remove: () => Promise<void>;
};

const stream = `pinpoint-${busiest}`;

export const openSqliteStore = async (): Promise<Store> => {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-bench-history-'));
  const file = join(directory, 'history.db');
  const history = openSqliteHistory(file);
  return {
    history,
    readRow: () => history.read(({ entriesAt }) => entriesAt(stream, [0])),
    bytes: async () => {
      const db = new SQLite(file);
      db.pragma('wal_checkpoint(TRUNCATE)');
      db.close();
      return statSync(file).size;
    },
    entriesRead: rowsRead,
    remove: async () => {
      await history.close();
      rmSync(directory, { recursive: true });
    },
  };
};

export const openMongoStore = async (url: string): Promise<Store> => {
  const database = ownName('bench-history');
  const [client, store] = [createMongoClient({ url }), openMongoHistory({ url, database })];
  await store.ensure();
  const generation = await store.generations.begin();
  const entries = client.db(database).collection<{ readonly _id: string }>(`history.${generation}.entry`);
  return {
    history: store.generation(generation).history,
    readRow: () => entries.findOne({ _id: { $eq: `${stream} 0` } }),
    bytes: async () => {
      const { dataSize, indexSize } = await client.db(database).stats();
      return dataSize + indexSize;
    },
    entriesRead: keysExamined,
    remove: async () => {
      await client.db(database).dropDatabase();
      await Promise.all([client.close(), store.close()]);
    },
  };
};
