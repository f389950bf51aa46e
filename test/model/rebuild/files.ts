import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { LogState } from '@waymark/event-log/event-log.ts';
import { createLogReader } from '@waymark/event-log/sqlite/reader.ts';
import { openReader } from '@waymark/event-log/sqlite/schema.ts';
import SQLite from 'better-sqlite3';

/** Returns the file of the read models that the server serves. */
export const liveFile = (directory: string): string =>
  join(directory, 'read-models', readFileSync(join(directory, 'read-models/current'), 'utf8').trim());

/** Returns everything that a SQLite file contains: its schema, and every row of every table in order. It uses no code of the product.
 * @throws where SQLite finds an error in the file, including its indexes */
export const dumpOf = (file: string): readonly string[] => {
  const db = new SQLite(file, { readonly: true });
  try {
    const check = db.pragma('integrity_check', { simple: true });
    if (check !== 'ok') throw new Error(`${file}: ${check}`);
    const schema = db.prepare<[], [string, string, string]>('SELECT type, name, sql FROM sqlite_schema ORDER BY name').raw().all();
    const tables = schema.filter(([type]) => type === 'table').map(([, name]) => name);
    const rows = tables.flatMap((table) =>
      db
        .prepare<[], unknown[]>(`SELECT * FROM ${table} ORDER BY 1, 2`)
        .raw()
        .all()
        .map((row) => JSON.stringify([table, ...row])),
    );
    return [...schema.map((part) => JSON.stringify(part)), ...rows];
  } finally {
    db.close();
  }
};

export type Log = { readonly state: LogState; readonly events: readonly RecordedEvent[] };

/** Reads the whole log from the file that a server has written or is writing. */
export const logOf = (directory: string): Log => {
  const db = openReader(join(directory, 'log.db'));
  try {
    const reader = createLogReader(db);
    const events: RecordedEvent[] = [];
    for (let batch = reader.after(0, 1_000); batch.length > 0; batch = reader.after(events.at(-1)?.position ?? 0, 1_000))
      events.push(...batch);
    return { state: reader.state(), events };
  } finally {
    db.close();
  }
};
