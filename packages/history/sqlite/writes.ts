import type { Database } from 'better-sqlite3';
import type { HistoryChange } from '../projection/change.ts';
import { type EntryRow, entryColumns, toRow } from './rows.ts';

/** Creates the writes of the projection. A change that is there already has no effect. */
export const sqliteWrites = (db: Database): ((change: HistoryChange) => void) => {
  const enter = db.prepare<[...EntryRow, string | null]>(
    `INSERT INTO entry (${entryColumns}, value) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const begin = db.prepare<[string, number, number, string | null]>(
    'INSERT OR IGNORE INTO interval (within, item, since, item_stream) VALUES (?, ?, ?, ?)',
  );
  const end = db.prepare<[number, string, number]>('UPDATE interval SET until = ? WHERE within = ? AND item = ? AND until IS NULL');
  const addMember = db.prepare<[number, number]>('INSERT OR IGNORE INTO member (pinpoint, list) VALUES (?, ?)');
  const removeMember = db.prepare<[number, number]>('DELETE FROM member WHERE pinpoint = ? AND list = ?');
  const relate = db.prepare<[string, number, string, 0 | 1]>(
    'INSERT OR IGNORE INTO relation_change (stream, position, other, began) VALUES (?, ?, ?, ?)',
  );
  const mark = db.prepare<[string, number, number, number, number]>(
    'INSERT OR REPLACE INTO mark (stream, before, first, revision, position, clean) VALUES (?, ?, ?, ?, ?, 0)',
  );

  return (change) => {
    switch (change.type) {
      case 'entered':
        return void enter.run(...toRow(change.entry), change.values && JSON.stringify(change.values));
      case 'began': {
        const { set, item, since } = change.interval;
        return void begin.run(set, item, since, change.of);
      }
      case 'ended': {
        const { set, item, until } = change.interval;
        return void end.run(until, set, item);
      }
      case 'member':
        return void (change.isMember ? addMember : removeMember).run(change.pinpoint, change.list);
      case 'related': {
        const { stream, position, other, began } = change.change;
        return void relate.run(stream, position, other, began ? 1 : 0);
      }
      case 'erased': {
        const { stream, before, from, revision, position } = change.mark;
        return void mark.run(stream, before, from, revision, position);
      }
    }
  };
};
