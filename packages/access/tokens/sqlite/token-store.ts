import { expireRowsMax, expireStepsMax } from '../limits.ts';
import { fromStoredToken, toStoredToken } from '../stored-token.ts';
import { type TokenStore, TokenStoreUnavailable } from '../token-store.ts';
import { openTokens } from './file.ts';
import { createGroupCommits } from './group-commits.ts';

/** What whoever starts and stops a process does with its tokens, beside issuing them. */
export type SqliteTokenStore = TokenStore & {
  /** Removes tokens that expired by then, so many in a commit, others having their turn in between. Gives their number. @throws TokenStoreUnavailable */
  readonly expire: (nowMs: number) => Promise<number>;
  /** Removes all tokens, durably: a restored backup must not bring back what was revoked since. @throws TokenStoreUnavailable */
  readonly clear: () => Promise<void>;
  /** Finishes what was begun. Afterwards everything else rejects. */
  readonly close: () => void;
};

/** Tokens in a SQLite file of their own, which one process at a time owns.
 * @throws where the file cannot be opened, or is another release's */
export const openSqliteTokenStore = ({ file }: { readonly file: string }): SqliteTokenStore => {
  const db = openTokens(file);
  const { commit, flush } = createGroupCommits(db);
  const insert = db.prepare<[string, number, string]>('insert into token values (?, ?, ?) on conflict do nothing');
  const remove = db.prepare<[string]>('delete from token where hash = ?');
  const removeAll = db.prepare<[]>('delete from token');
  const removeExpired = db.prepare<[number, number]>(
    'delete from token where hash in (select hash from token where expires_at_ms <= ? limit ?)',
  );
  const select = db.prepare<[string, number], string>('select record from token where hash = ? and expires_at_ms > ?').pluck();

  return {
    save: (record) => commit(() => insert.run(record.hash, record.expiresAtMs, JSON.stringify(toStoredToken(record)))),
    find: async (hash, nowMs) => {
      const text = orUnavailable(() => select.get(hash, nowMs));
      return text === undefined ? undefined : fromStoredToken(JSON.parse(text));
    },
    revoke: (hash) => commit(() => remove.run(hash)),
    expire: async (nowMs) => {
      let removed = 0;
      for (let step = 0; step < expireStepsMax; step += 1) {
        const before = removed;
        await commit(() => {
          removed += removeExpired.run(nowMs, expireRowsMax).changes;
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

const orUnavailable = <Result>(read: () => Result): Result => {
  try {
    return read();
  } catch (cause) {
    throw new TokenStoreUnavailable('The tokens cannot be read.', { cause });
  }
};
