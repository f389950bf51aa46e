import SQLite, { type Database, type Statement } from 'better-sqlite3';

/** Returns the parameterised statements that SQLite plans again when they run with other values. They are prepared on a connection whose
 * tables are then hidden by broken views of the same names. A kept plan goes on reading the tables; a statement that is planned again meets
 * the views, and fails.
 * @param prepare prepares the statements on the connection */
export const replannedStatements = (file: string, prepare: (db: Database) => unknown): string[] => {
  const db = new SQLite(':memory:');
  try {
    // A name without a schema is looked up in this order.
    db.exec("attach ':memory:' as hiding");
    db.prepare('attach ? as stored').run(file);
    const statements = recordStatements(db);
    prepare(db);
    const parameterised = statements.filter(({ source }) => source.includes('?'));
    for (const value of [5, 7]) for (const statement of parameterised) fails(() => run(statement, value));
    hideTables(db);
    const unhidden = parameterised.filter(({ source }) => !fails(() => db.prepare(source)));
    if (unhidden.length > 0) throw new Error(`These statements read no hidden table: ${unhidden.map(({ source }) => source).join(' ')}`);
    return parameterised.filter((statement) => [1, 9].some((value) => fails(() => run(statement, value)))).map(({ source }) => source);
  } finally {
    db.close();
  }
};

const recordStatements = (db: Database): Statement<unknown[]>[] => {
  const statements: Statement<unknown[]>[] = [];
  const prepare = db.prepare.bind(db);
  const recording = (sql: string): Statement<unknown[]> => {
    const statement = prepare<unknown[]>(sql);
    statements.push(statement);
    return statement;
  };
  Object.assign(db, { prepare: recording });
  return statements;
};

const missing = 'planned_again';

const hideTables = (db: Database): void => {
  const tables = db.prepare<[], string>("select name from stored.sqlite_schema where type = 'table' and name not like 'sqlite_%'").pluck();
  for (const name of tables.all()) db.exec(`create view hiding.${name} as select * from ${missing}`);
};

const run = (statement: Statement<unknown[]>, value: number): void => {
  const values = Array.from(statement.source.matchAll(/\?/g), () => value);
  if (statement.reader) statement.all(...values);
  else statement.run(...values);
};

/** Returns whether a use of a statement fails because of a broken view. Other failures, as of a constraint, do not count. */
const fails = (use: () => unknown): boolean => {
  try {
    use();
    return false;
  } catch (error) {
    return (error as Error).message.includes(missing);
  }
};
