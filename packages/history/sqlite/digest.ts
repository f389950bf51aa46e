import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import SQLite, { type Database } from 'better-sqlite3';

/** The position of a history, and the SHA-256 (hex) over all its rows at that moment. Once they are cleaned, histories of equal logs and positions
 * have equal digests. */
export type HistoryDigest = { readonly position: number; readonly rows: string };

/** The tables, and the order of their rows. The spans are left out: what an erasure ended stays in them, as bounds. */
const tables = {
  entry: 'position',
  interval: 'within, item, since',
  member: 'pinpoint, list',
  relation_change: 'stream, position, other',
  mark: 'stream',
};

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
  for (const [name, order] of Object.entries(tables)) {
    for (const row of db.prepare<[], unknown[]>(`SELECT * FROM ${name} ORDER BY ${order}`).raw().iterate())
      yield JSON.stringify([name, ...row]);
  }
}
