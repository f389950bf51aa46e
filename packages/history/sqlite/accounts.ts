import type { Database } from 'better-sqlite3';

// Entries have the number of their account in place of its name: both the rows and the index of an account are written faster.

/** The name of an entry's account, in SQL. */
export const accountName = '(SELECT name FROM account WHERE id = entry.account)';

/** The condition that an entry is of an account, for its name. */
export const isOfAccount = 'account = (SELECT id FROM account WHERE name = ?)';

/** The numbers of a batch's accounts. */
export type AccountNumbers = {
  /** Returns the number of an account, which gets one with its first entry. */
  readonly numberOf: (account: string) => number;
  /** Begins a batch: numbers that a batch was given which was rolled back are forgotten. */
  readonly begin: () => void;
};

export const sqliteAccountNumbers = (db: Database): AccountNumbers => {
  const known = new Map<string, number>();
  const find = db.prepare<[string], number>('SELECT id FROM account WHERE name = ?').pluck();
  const add = db.prepare<[string]>('INSERT INTO account (name) VALUES (?)');
  const look = (account: string): number => {
    const number = find.get(account) ?? Number(add.run(account).lastInsertRowid);
    known.set(account, number);
    return number;
  };
  return {
    numberOf: (account) => known.get(account) ?? look(account),
    begin: () => known.clear(),
  };
};
