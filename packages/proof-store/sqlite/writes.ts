import type { Database } from 'better-sqlite3';
import { addedRoots, isBase, isNext, type RootsState, rootsIn } from '../checkpoint-roots.ts';
import type { Growth, ProofStore, SignedCheckpoint, StorePosition } from '../proof-store.ts';
import {
  beginsPage,
  extendedPage,
  extendedTile,
  type GrownPage,
  type GrownTile,
  grownPages,
  grownTiles,
  type StoredTile,
} from '../tile-growth.ts';
import { tableNames } from './schema.ts';

/** The writes of a store, each in one transaction. */
export type SqliteWrites = {
  readonly position: () => StorePosition | undefined;
  /** @throws MissingNodes */
  readonly apply: (growth: Growth) => boolean;
  readonly noteCheckpoint: (...noted: Parameters<ProofStore['noteCheckpoint']>) => boolean;
  readonly clear: () => void;
};

/** Creates the writes of a store over one connection. */
export const sqliteWrites = (db: Database): SqliteWrites => {
  const position = sqlitePosition(db);
  return {
    position,
    apply: db.transaction(sqliteApply(db, position)).immediate,
    noteCheckpoint: db.transaction(sqliteNote(db, position)).immediate,
    clear: db.transaction(() => {
      for (const table of tableNames) db.prepare(`DELETE FROM ${table}`).run();
    }).immediate,
  };
};

type Position = () => StorePosition | undefined;

const sqlitePosition = (db: Database): Position => {
  const read = db.prepare<[], StorePosition>('SELECT incarnation, position FROM reached');
  return () => read.get();
};

const sqliteApply = (db: Database, position: Position): ((growth: Growth) => boolean) => {
  const tile = db.prepare<[string, number, number], StoredTile>(
    'SELECT hashes, leaves FROM tile WHERE account = (SELECT ?) AND level = ? AND number = ?',
  );
  const putTile = db.prepare<[string, number, number, Buffer, string]>(
    `INSERT INTO tile (account, level, number, hashes, leaves) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (account, level, number) DO UPDATE SET hashes = excluded.hashes, leaves = excluded.leaves`,
  );
  const page = db
    .prepare<[string, string, number], string>('SELECT places FROM page WHERE account = (SELECT ?) AND stream = (SELECT ?) AND number = ?')
    .pluck();
  const putPage = db.prepare<[string, string, number, string]>(
    'INSERT OR REPLACE INTO page (account, stream, number, places) VALUES (?, ?, ?, ?)',
  );
  const move = db.prepare<[string, number]>('INSERT OR REPLACE INTO reached (one, incarnation, position) VALUES (1, ?, ?)');

  const extendTile = (grown: GrownTile): void => {
    const { account, level, index } = grown;
    const { hashes, leaves } = extendedTile(tile.get(account, level, index), grown);
    putTile.run(account, level, index, hashes, leaves);
  };
  const extendPage = (grown: GrownPage): void => {
    const { account, stream, page: number } = grown;
    putPage.run(account, stream, number, extendedPage(beginsPage(grown) ? undefined : page.get(account, stream, number), grown));
  };
  return (growth) => {
    const reached = position();
    if (growth.after !== (reached?.position ?? 0)) return false;
    if (reached !== undefined && reached.incarnation !== growth.incarnation) return false;
    for (const grown of grownTiles(growth)) extendTile(grown);
    for (const grown of grownPages(growth.leaves)) extendPage(grown);
    move.run(growth.incarnation, growth.to);
    return true;
  };
};

type Last = RootsState & { readonly sequence: number; readonly origin: string; readonly number: number };

const sqliteNote = (db: Database, position: Position) => {
  const last = db.prepare<[], Last>(
    'SELECT sequence, origin, number, base, accounts, changed FROM checkpoint ORDER BY sequence DESC LIMIT 1',
  );
  const pages = db.prepare<[number], string>('SELECT roots FROM roots WHERE sequence >= ? ORDER BY sequence, number').pluck();
  const put = db.prepare(
    `INSERT INTO checkpoint (sequence, origin, number, note, announces, incarnation, through, base, accounts, changed, milestone)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const putRoots = db.prepare<[number, number, string]>('INSERT INTO roots (sequence, number, roots) VALUES (?, ?, ?)');
  const mark = db.prepare<[number]>('UPDATE checkpoint SET milestone = 1 WHERE sequence = ?');

  return (checkpoint: SignedCheckpoint, grown: Parameters<ProofStore['noteCheckpoint']>[1]): boolean => {
    const { origin, number, note, announces, incarnation, through } = checkpoint;
    const [before, reached] = [last.get(), position()];
    if (reached?.incarnation !== incarnation || reached.position < through || !isNext(before, checkpoint)) return false;
    const sequence = (before?.sequence ?? 0) + 1;
    const all = before !== undefined && isBase(before, grown) ? rootsIn(pages.all(before.base)) : [];
    const { base, accounts, changed, pages: added } = addedRoots(sequence, before, grown, all);
    const flag = announces ? 1 : 0;
    put.run(sequence, origin, number, note, flag, incarnation, through, base, accounts, changed, flag);
    for (const [nth, text] of added.entries()) putRoots.run(sequence, nth, text);
    if (before !== undefined && before.origin !== origin) mark.run(before.sequence);
    return true;
  };
};
