import type { Database, Statement } from 'better-sqlite3';
import { expireRowsMax, expireStepsMax } from '../limits.ts';
import { fromStoredToken, toStoredToken } from '../stored-token.ts';
import { type TokenStore, TokenStoreUnavailable } from '../token-store.ts';
import { openTokens, openTokensToRead } from './file.ts';
import { createGroupCommits } from './group-commits.ts';

/** A token store with the operations of the process that owns it. */
export type SqliteTokenStore = TokenStore & {
  /** Removes tokens that expired by `nowMs`, in several commits, so that other work can run in between.
   * @returns the number of removed tokens
   * @throws TokenStoreUnavailable */
  readonly expire: (nowMs: number) => Promise<number>;
  /** Removes all tokens, durably: a restored backup must not restore tokens that were revoked since.
   * @throws TokenStoreUnavailable */
  readonly clear: () => Promise<void>;
  /** Completes pending writes and closes the file. Later calls reject. */
  readonly close: () => void;
};

/** Opens the tokens in a SQLite file of their own. One process at a time owns the file.
 * @throws if the file cannot be opened, or was stored by another release */
export const openSqliteTokenStore = ({ file }: { readonly file: string }): SqliteTokenStore => {
  const db = openTokens(file);
  const { commit, flush } = createGroupCommits(db);
  const { insert, remove, removeAll, removeExpired, select } = prepareTokens(db);

  return {
    save: (record) => commit(() => insert.run(record.hash, record.expiresAtMs, JSON.stringify(toStoredToken(record)))),
    find: finderOf(select),
    revoke: (hash) => commit(() => remove.run(hash)),
    expire: async (nowMs) => {
      let removed = 0;
      for (let step = 0; step < expireStepsMax; step += 1) {
        const before = removed;
        await commit(() => {
          removed += removeExpired.run(nowMs).changes;
        });
        if (removed - before < expireRowsMax) break;
      }
      return removed;
    },
    clear: () => commit(() => removeAll.run()),
    close: () => {
      flush();
      db.close();
    },
  };
};

/** Finds tokens in the file of another thread. */
export type TokenReader = Pick<SqliteTokenStore, 'find' | 'close'>;

/** Opens the tokens for reading, in a thread that does not own their file. */
export const openTokenReader = ({ file }: { readonly file: string }): TokenReader => {
  const db = openTokensToRead(file);
  return { find: finderOf(prepareSelect(db)), close: () => void db.close() };
};

type Select = Statement<[hash: string, nowMs: number], string>;

const finderOf =
  (select: Select): TokenStore['find'] =>
  async (hash, nowMs) => {
    const text = orUnavailable(() => select.get(hash, nowMs));
    return text === undefined ? undefined : fromStoredToken(JSON.parse(text));
  };

const prepareSelect = (db: Database): Select =>
  db.prepare<[string, number], string>('select record from token where hash = ? and expires_at_ms > ?').pluck();

/** Prepares every statement, once. */
export const prepareTokens = (db: Database) => ({
  insert: db.prepare<[string, number, string]>('insert into token values (?, ?, ?) on conflict do nothing'),
  remove: db.prepare<[string]>('delete from token where hash = ?'),
  removeAll: db.prepare<[]>('delete from token'),
  // The limit is part of the text: with a parameter there, SQLite plans a statement again each time it runs.
  removeExpired: db.prepare<[number]>(
    `delete from token where hash in (select hash from token where expires_at_ms <= ? limit ${expireRowsMax})`,
  ),
  select: prepareSelect(db),
});

const orUnavailable = <Result>(read: () => Result): Result => {
  try {
    return read();
  } catch (cause) {
    throw new TokenStoreUnavailable('The tokens cannot be read.', { cause });
  }
};
