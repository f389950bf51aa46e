import SQLite from 'better-sqlite3';
import { Collection, type Document } from 'mongodb';

/** Returns the number of rows that SQLite's statements return while something is done: each row is found by an entry of an index, and a search
 * that finds nothing reads one. */
export const rowsRead = async (use: () => Promise<unknown>): Promise<number> => {
  const db = new SQLite(':memory:');
  const statement: SQLite.Statement = Object.getPrototypeOf(db.prepare('SELECT 1'));
  const { get, all, iterate } = statement;
  let rows = 0;
  const count = <Result>(result: Result, read: number): Result => {
    rows += Math.max(1, read);
    return result;
  };
  Object.assign(statement, {
    get(...parameters: unknown[]) {
      return count(Reflect.apply(get, this, parameters), 1);
    },
    all(...parameters: unknown[]) {
      const found = Reflect.apply(all, this, parameters);
      return count(found, found.length);
    },
    *iterate(...parameters: unknown[]) {
      for (const row of Reflect.apply(iterate, this, parameters)) yield count(row, 1);
    },
  });
  try {
    await use();
    return rows;
  } finally {
    Object.assign(statement, { get, all, iterate });
    db.close();
  }
};

type Query = { readonly collection: Collection; readonly filter: Document; readonly options: Document };

/** Returns the number of keys that MongoDB examines for the queries that are made while something is done, as it explains them. */
export const keysExamined = async (use: () => Promise<unknown>): Promise<number> => {
  const queries: Query[] = [];
  const { find } = Collection.prototype;
  Collection.prototype.find = function (this: Collection, filter: Document = {}, options: Document = {}) {
    queries.push({ collection: this, filter, options });
    return Reflect.apply(find, this, [filter, options]);
  };
  try {
    await use();
  } finally {
    Collection.prototype.find = find;
  }
  let keys = 0;
  for (const { collection, filter, options } of queries) {
    const { session: _, signal: __, batchSize: ___, ...asked } = options;
    const { executionStats } = await collection.find(filter, asked).explain('executionStats');
    keys += executionStats.totalKeysExamined;
  }
  return keys;
};
