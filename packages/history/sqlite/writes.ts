import type { Database } from 'better-sqlite3';
import type { HistoryChange } from '../projection/change.ts';
import { collectSpanChanges } from '../spans.ts';
import { type EntryRow, entryColumns, toRow } from './rows.ts';

/** The writes of a batch, in one transaction. */
export type Writes = {
  readonly write: (change: HistoryChange) => void;
  /** Begins a batch. What a batch that was rolled back has left is discarded. */
  readonly begin: () => void;
  /** Ends the batch. */
  readonly end: () => void;
};

const parameters = `?${', ?'.repeat(entryColumns.split(',').length)}`;

/** Creates the writes of the projection. A change that is there already has no effect. */
export const sqliteWrites = (db: Database): Writes => {
  const spans = collectSpanChanges();
  const enter = db.prepare<[...EntryRow, string | null]>(`INSERT INTO entry (${entryColumns}, value) VALUES (${parameters})`);
  const begin = db.prepare<[string, number, number, string | null]>(
    'INSERT OR IGNORE INTO interval (within, item, since, item_stream) VALUES (?, ?, ?, ?)',
  );
  const end = db.prepare<[number, string, number]>('UPDATE interval SET until = ? WHERE within = ? AND item = ? AND until IS NULL');
  const sum = db.prepare<[string, number, number, number, number, number]>(
    `INSERT INTO span (within, size, block, since, until, open) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (within, size, block) DO UPDATE SET until = max(until, excluded.until), open = open + excluded.open`,
  );
  const addMember = db.prepare<[number, number]>('INSERT OR IGNORE INTO member (pinpoint, list) VALUES (?, ?)');
  const removeMember = db.prepare<[number, number]>('DELETE FROM member WHERE pinpoint = ? AND list = ?');
  const relate = db.prepare<[string, number, string, 0 | 1]>(
    'INSERT OR IGNORE INTO relation_change (stream, position, other, began) VALUES (?, ?, ?, ?)',
  );
  const mark = db.prepare<[string, number, number, number, number]>(
    'INSERT OR REPLACE INTO mark (stream, before, first, revision, position, clean) VALUES (?, ?, ?, ?, ?, 0)',
  );

  const write = (change: HistoryChange): void => {
    switch (change.type) {
      case 'entered':
        enter.run(...toRow(change.entry), change.values && JSON.stringify(change.values));
        break;
      case 'began': {
        const { set, item, since } = change.interval;
        if (begin.run(set, item, since, change.of).changes > 0) spans.began(change.interval);
        break;
      }
      case 'ended': {
        const { set, item, until } = change.interval;
        if (end.run(until, set, item).changes > 0) spans.ended(change.interval);
        break;
      }
      case 'member':
        (change.isMember ? addMember : removeMember).run(change.pinpoint, change.list);
        break;
      case 'related': {
        const { stream, position, other, began } = change.change;
        relate.run(stream, position, other, began ? 1 : 0);
        break;
      }
      case 'erased': {
        const { stream, before, from, revision, position } = change.mark;
        mark.run(stream, before, from, revision, position);
        break;
      }
    }
  };
  return {
    write,
    begin: () => void spans.take(),
    end: () => {
      for (const { set, size, block, since, until, open } of spans.take()) sum.run(set, size, block, since, until, open);
    },
  };
};
