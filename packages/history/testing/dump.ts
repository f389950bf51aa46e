import SQLite from 'better-sqlite3';
import { sqliteHistoryRows } from '../sqlite/digest.ts';

/** Returns all rows of a file as JSON texts. */
export const dump = (file: string): readonly string[] => {
  const db = new SQLite(file, { readonly: true });
  try {
    return [...sqliteHistoryRows(db)];
  } finally {
    db.close();
  }
};
