import type { Database } from 'better-sqlite3';
import type { HistoryEntry, Values } from '../entries.ts';
import type { HistoryChange } from '../projection/change.ts';
import { sqliteAccountNumbers } from './accounts.ts';
import { sqliteIntervalWrites } from './interval-writes.ts';
import { toRow, type WrittenRow, writtenColumns } from './rows.ts';

/** The writes of a batch, in one transaction. */
export type Writes = {
  readonly write: (change: HistoryChange) => void;
  /** Begins a batch. What a batch that was rolled back has left is discarded. */
  readonly begin: () => void;
  /** Ends the batch. */
  readonly end: () => void;
};

const parameters = `?${', ?'.repeat(writtenColumns.split(',').length)}`;

/** Creates the writes of the projection. A change that is there already has no effect. */
export const sqliteWrites = (db: Database): Writes => {
  const entries = sqliteEntries(db);
  const intervals = sqliteIntervalWrites(db);
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
        entries.enter(change.entry, change.values);
        break;
      case 'began':
        intervals.began(change);
        break;
      case 'ended':
        intervals.ended(change);
        break;
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
    begin: () => {
      entries.begin();
      intervals.begin();
    },
    end: intervals.end,
  };
};

/** Creates the writes of entries. */
const sqliteEntries = (db: Database) => {
  const { numberOf, begin } = sqliteAccountNumbers(db);
  const insert = db.prepare<[...WrittenRow, string | null]>(`INSERT INTO entry (${writtenColumns}, value) VALUES (${parameters})`);
  // New objects with the same fields share their origins: the text of these is made once.
  let [latest, latestText]: [HistoryEntry['origins'], string] = [{}, '{}'];
  const textOf = (origins: HistoryEntry['origins']): string => {
    if (origins !== latest) [latest, latestText] = [origins, JSON.stringify(origins)];
    return latestText;
  };
  return {
    begin,
    enter: (entry: HistoryEntry, values: Values | null): void => {
      insert.run(...toRow(entry, numberOf(entry.account), textOf(entry.origins)), values && JSON.stringify(values));
    },
  };
};
