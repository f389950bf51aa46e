import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import SQLite, { type Database } from 'better-sqlite3';
import { accountName } from './accounts.ts';

/** The position of a history, and the SHA-256 (hex) over all its rows at that moment. Once they are cleaned, histories of equal logs and positions
 * have equal digests. */
export type HistoryDigest = { readonly position: number; readonly rows: string };

/** The columns of each table, and the order of its rows. The spans are left out: what an erasure ended stays in them, as bounds. So are keys that
 * other columns determine: all that is left is the same in every store. */
const tables = {
  entry: [
    `position, ${accountName}, stream, revision, clock, present, moved, origins, event, type, time, actor, request, ifnull(correlation, event), cause, value`,
    'position',
  ],
  interval: ['within, item, since, until, item_stream', 'within, item, since DESC'],
  member: ['pinpoint, list', 'pinpoint, list'],
  relation_change: ['stream, position, other, began', 'stream, position DESC, other'],
  mark: ['stream, before, first, revision, position, clean', 'stream'],
} as const;

/** The number of rows that are hashed before the other work of the thread may run. */
const sliceRows = 1_000;

/** @throws SqliteError */
export const sqliteHistoryDigest = async (file: string): Promise<HistoryDigest> => {
  const db = new SQLite(file, { readonly: true, fileMustExist: true }).exec('BEGIN');
  try {
    const hash = createHash('sha256');
    let count = 0;
    for (const row of sqliteHistoryRows(db)) {
      hash.update(row).update('\n');
      count += 1;
      if (count % sliceRows === 0) await nextTurn();
    }
    const position = db.prepare<[], number>('SELECT max(position) FROM reached').pluck().get() ?? 0;
    return { position, rows: hash.digest('hex') };
  } finally {
    db.close();
  }
};

/** Yields every row as JSON text, table by table, in order. */
export function* sqliteHistoryRows(db: Database): Generator<string> {
  for (const [name, [columns, order]] of Object.entries(tables)) {
    for (const row of db.prepare<[], unknown[]>(`SELECT ${columns} FROM ${name} ORDER BY ${order}`).raw().iterate())
      yield JSON.stringify([name, ...row]);
  }
}
