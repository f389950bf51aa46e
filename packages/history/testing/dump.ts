import SQLite from 'better-sqlite3';

/** Returns all rows of a file as JSON texts, in the order of their keys. The position, and the spans, which
 * erasures do not change, are left out. */
export const dump = (file: string): readonly string[] => {
  const db = new SQLite(file, { readonly: true });
  try {
    return Object.entries(tables).flatMap(([name, order]) =>
      db
        .prepare<[], unknown[]>(`SELECT * FROM ${name} ORDER BY ${order}`)
        .raw()
        .all()
        .map((row) => JSON.stringify([name, ...row])),
    );
  } finally {
    db.close();
  }
};

const tables = {
  entry: 'position',
  interval: 'within, item, since',
  member: 'pinpoint, list',
  relation_change: 'stream, position, other',
  mark: 'stream',
};
