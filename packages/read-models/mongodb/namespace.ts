import type { Collection, Db, Document } from 'mongodb';

/** Collections of a database that have a common prefix. */
export type Namespace = {
  readonly prefix: string;
  readonly db: Db;
  readonly collection: <Row extends Document>(name: string) => Collection<Row>;
};

export const namespaceIn = (db: Db, prefix = ''): Namespace => ({
  prefix,
  db,
  collection: <Row extends Document>(name: string) => db.collection<Row>(`${prefix}${name}`),
});
