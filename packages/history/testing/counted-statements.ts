import type { Database, Statement } from 'better-sqlite3';

/** Counts the index entries that statements read: the rows that they return or skip, and at least one for each run. */
export const counted = (db: Database) => {
  let reads = 0;
  const countedStatement = (statement: Statement, sql: string): Statement =>
    new Proxy(statement, {
      get: (target, name) => {
        if (name === 'raw' || name === 'pluck') return () => countedStatement(target[name](), sql);
        if (name === 'iterate') return (...parameters: unknown[]) => countedRows(target.iterate(...parameters));
        if (name !== 'get' && name !== 'all') return Reflect.get(target, name);
        return (...parameters: unknown[]) => {
          const found = target[name](...parameters);
          const rows = name === 'all' ? (found as readonly unknown[]).length : 1;
          reads += Math.max(1, rows) + (sql.includes('OFFSET') ? Number(parameters.at(-1)) : 0);
          return found;
        };
      },
    });
  function* countedRows(found: Iterable<unknown>): Generator<unknown> {
    reads += 1;
    for (const row of found) {
      yield row;
      reads += 1;
    }
  }
  const prepare = (sql: string) => countedStatement(db.prepare<unknown[]>(sql), sql);
  return { reads: () => reads, db: new Proxy(db, { get: (target, name) => (name === 'prepare' ? prepare : Reflect.get(target, name)) }) };
};
