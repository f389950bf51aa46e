import { withNewPositions } from '@waymark/checkpoints/testing/rewritten.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import SQLite from 'better-sqlite3';

type StoredRow = Omit<RecordedEvent, 'envelope'> & { readonly envelope: string };

export const rowsIn = (file: string): readonly RecordedEvent[] => {
  const db = new SQLite(file, { readonly: true });
  const rows = db.prepare<[], StoredRow>('select position, stream, revision, envelope, salt, content from event order by position').all();
  db.close();
  return rows.map((row) => ({ ...row, envelope: JSON.parse(row.envelope) }));
};

/** Replaces all events of a file. Positions are given again, from 1 on, and the records of checkpoints are corrected: each goes up to the last
 * event that it went up to before. */
export const writeRows = (file: string, rows: readonly RecordedEvent[]): void => {
  const db = new SQLite(file);
  const insert = db.prepare('insert into event (position, stream, revision, envelope, salt, content) values (?, ?, ?, ?, ?, ?)');
  db.transaction(() => {
    db.exec('delete from event');
    for (const { position, stream, revision, envelope, salt, content } of withNewPositions(rows)) {
      insert.run(position, stream, revision, JSON.stringify(envelope), salt, content);
    }
  })();
  db.close();
};
