import { replannedStatements } from '@waymark/event-log/testing/replanned.ts';
import { temporaryFiles } from '@waymark/read-models/testing/temporary-files.ts';
import type { Database } from 'better-sqlite3';
import { sqliteLastStates } from './last-states.ts';
import { sqliteLookup } from './lookup.ts';
import { openFile } from './open.ts';
import { sqliteReads } from './reads.ts';
import { sqliteWrites } from './writes.ts';

const newFile = temporaryFiles();

/** Returns the plans of the statements that match a pattern. */
const plansOf = (db: Database, prepare: (db: Database) => unknown, pattern: RegExp): readonly string[] => {
  const texts: string[] = [];
  const plain = db.prepare.bind(db);
  const recording = (text: string) => {
    texts.push(text);
    return plain(text);
  };
  Object.assign(db, { prepare: recording });
  prepare(db);
  return texts
    .filter((text) => pattern.test(text))
    .map((text) => {
      const values = Array.from(text.matchAll(/\?/g), () => 1);
      return plain<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`)
        .all(...values)
        .map(({ detail }) => detail)
        .join(', ');
    });
};

describe('the statements of the history', () => {
  it('keep their plans when they run', () => {
    const file = newFile();
    openFile(file).close();
    for (const prepare of [sqliteReads, sqliteWrites, sqliteLastStates]) expect(replannedStatements(file, prepare)).toEqual([]);
    expect(replannedStatements(file, (db) => sqliteLookup(db, sqliteLastStates(db)))).toEqual([]);
  });

  it('read only the interval that goes on, however many came before it', () => {
    const db = openFile(newFile());
    const [end, ...otherEnds] = plansOf(db, sqliteWrites, /UPDATE interval SET until/);
    expect([end, otherEnds]).toEqual([expect.stringContaining('(within=? AND item=? AND since=?)'), []]);
    const [place] = plansOf(db, (on) => sqliteLookup(on, sqliteLastStates(on)), /SELECT within FROM interval/);
    expect(place).toContain('USING INDEX interval_stay');
    db.close();
  });
});
