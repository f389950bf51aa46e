import assert from 'node:assert/strict';
import Database from 'better-sqlite3';
import type { PinpointInput } from './crud-pinpoint.ts';

export type Pinpoint = Required<PinpointInput> & { readonly id: number; readonly media_url: string | null };
type Row = Omit<Pinpoint, 'tags'> & { readonly tags: string };

const schema = `
  CREATE TABLE IF NOT EXISTS tokens (hash TEXT PRIMARY KEY, account INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS pinpoints (
    id INTEGER PRIMARY KEY AUTOINCREMENT, account INTEGER NOT NULL, name TEXT NOT NULL, address TEXT NOT NULL,
    latitude REAL NOT NULL, longitude REAL NOT NULL, altitude REAL, category INTEGER, description TEXT NOT NULL,
    media_credits TEXT NOT NULL, media_url TEXT, tags TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS pinpoints_account ON pinpoints (account, id);
`;
const columns = 'id, name, address, latitude, longitude, altitude, category, description, media_credits, media_url, tags';
const defaults = { address: '', altitude: null, category: null, description: '', media_credits: '', tags: [] };

const toPinpoint = (row: Row): Pinpoint => ({ ...row, tags: JSON.parse(row.tags) });
const toRow = (pinpoint: PinpointInput) => ({ ...defaults, ...pinpoint, tags: JSON.stringify(pinpoint.tags ?? []) });

export const openPinpoints = (file: string) => {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  // better-sqlite3 is compiled to fall back to NORMAL in WAL mode at the first write, unless this is set. With NORMAL, no commit is synced.
  database.pragma('synchronous = FULL');
  database.exec(schema);

  const saveToken = database.prepare('INSERT OR REPLACE INTO tokens VALUES (?, ?, ?)');
  const findToken = database.prepare<[string, number], { account: number }>('SELECT account FROM tokens WHERE hash = ? AND expires_at > ?');
  const insert = database.prepare(
    `INSERT INTO pinpoints (account, name, address, latitude, longitude, altitude, category, description, media_credits, tags)
     VALUES (@account, @name, @address, @latitude, @longitude, @altitude, @category, @description, @media_credits, @tags)`,
  );
  const update = database.prepare(
    `UPDATE pinpoints SET name = @name, address = @address, latitude = @latitude, longitude = @longitude, altitude = @altitude,
     category = @category, description = @description, media_credits = @media_credits, tags = @tags WHERE id = @id AND account = @account`,
  );
  const remove = database.prepare('DELETE FROM pinpoints WHERE id = ? AND account = ?');
  const find = database.prepare<[number, number], Row>(`SELECT ${columns} FROM pinpoints WHERE id = ? AND account = ?`);
  const page = database.prepare<[number, number, number], Row>(
    `SELECT ${columns} FROM pinpoints WHERE account = ? AND id > ? ORDER BY id LIMIT ?`,
  );

  return {
    saveToken: (hash: string, account: number, expiresAt: number): void => {
      saveToken.run(hash, account, expiresAt);
      assert.equal(database.pragma('synchronous', { simple: true }), 2, 'every commit must be synced');
    },
    findToken: (hash: string, now: number) => findToken.get(hash, now),
    insert: (account: number, pinpoint: PinpointInput): Pinpoint => {
      const { lastInsertRowid } = insert.run({ ...toRow(pinpoint), account });
      return { id: Number(lastInsertRowid), ...defaults, ...pinpoint, media_url: null };
    },
    update: (account: number, id: number, pinpoint: Pinpoint): Pinpoint => {
      update.run({ ...toRow(pinpoint), id, account });
      return pinpoint;
    },
    remove: (account: number, id: number): boolean => remove.run(id, account).changes > 0,
    find: (account: number, id: number): Pinpoint | undefined => {
      const row = find.get(id, account);
      return row && toPinpoint(row);
    },
    page: (account: number, after: number, limit: number): Pinpoint[] => page.all(account, after, limit).map(toPinpoint),
    close: (): void => {
      database.close();
    },
  };
};
