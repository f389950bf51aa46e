import { hash } from 'node:crypto';
import SQLite, { type Database } from 'better-sqlite3';
import type { KnownCheckpoint, NotaryRecord } from '../record.ts';

/** The page cache of the connection, in KiB. It is used once a minute. */
const cacheKibibytes = 64;
/** How long the connection may wait for a lock. */
const waitMs = 1_000;
const version = 1;

const tables = `
  create table last (one integer primary key check (one = 1), origin text, number integer, digest text, note text) strict;
  create table intended (one integer primary key check (one = 1), origin text, number integer, digest text, note text) strict;
  create table account (account text primary key, size integer not null, root blob not null) strict, without rowid;
  create table verifier_key (key text primary key) strict, without rowid;
  create table published (place text, origin text, number integer not null, primary key (place, origin)) strict, without rowid;
`;

/** Opens the notary's record, and creates it where there is none.
 * @throws SqliteError, RangeError where a newer release wrote it */
export const openSqliteRecord = (file: string): NotaryRecord => {
  const db = openFile(file);
  const last = db.prepare<[], KnownCheckpoint>('select origin, number, digest, note from last');
  const intended = db.prepare<[], KnownCheckpoint>('select origin, number, digest, note from intended');
  const roots = db.prepare<[], { account: string; size: number; root: Buffer }>('select account, size, root from account');
  const keys = db.prepare<[], string>('select key from verifier_key').pluck();
  const published = db.prepare<[string, string], number>('select number from published where place = ? and origin = ?').pluck();
  const keepLast = db.prepare('insert or replace into last values (1, ?, ?, ?, ?)');
  const intend = db.prepare('insert or replace into intended values (1, ?, ?, ?, ?)');
  const keepRoot = db.prepare('insert or replace into account values (?, ?, ?)');
  const dropRoots = db.prepare('delete from account');
  const keepKey = db.prepare('insert or ignore into verifier_key values (?)');
  const keepPublished = db.prepare('insert or replace into published values (?, ?, ?)');
  const keep = db.transaction<NotaryRecord['keep']>(({ origin, number, digest, note }, grown) => {
    for (const { account, size, root } of grown) keepRoot.run(account, size, root);
    keepLast.run(origin, number, digest, note);
  });
  const replace = db.transaction<NotaryRecord['replace']>((checkpoint, all) => {
    dropRoots.run();
    keep(checkpoint, all);
  });
  return {
    last: () => last.get(),
    intended: () => intended.get(),
    intend: ({ origin, number, digest, note }) => void intend.run(origin, number, digest, note),
    roots: () => roots.all(),
    keys: () => keys.all(),
    keep: (checkpoint, grown) => keep(checkpoint, grown),
    replace: (checkpoint, all) => replace(checkpoint, all),
    keepKey: (key) => void keepKey.run(key),
    published: (place, origin) => published.get(digestOf(place), origin) ?? 0,
    keepPublished: (place, origin, number) => void keepPublished.run(digestOf(place), origin, number),
    close: () => void db.close(),
  };
};

/** The name of a place is stored as its digest only. */
const digestOf = (place: string): string => hash('sha256', place);

const openFile = (file: string): Database => {
  const db = new SQLite(file, { timeout: waitMs });
  try {
    db.pragma(`cache_size = -${cacheKibibytes}`);
    db.pragma('synchronous = FULL');
    if (db.prepare('select 1 from sqlite_schema').get() === undefined) db.exec(`begin; ${tables} pragma user_version = ${version}; commit`);
    const found = db.pragma('user_version', { simple: true });
    if (found !== version) throw new RangeError(`The notary's record is of version ${found}; this release reads version ${version}.`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};
