import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { byResourceKind, type ResourceKind, resourceKinds } from '@waymark/domain/streams.ts';
import type { Database } from 'better-sqlite3';
import type { ReadPosition } from '../read-models.ts';
import { openReader } from './open.ts';

/** The position of each partition, and the SHA-256 (hex) over all rows at that moment. Equal logs, positions and projections have equal
 * digests. */
export type SqliteDigest = {
  readonly positions: readonly (ReadPosition & { readonly partition: number })[];
  readonly rows: string;
};

const columns = 'id, account, revision, shown, present, pinpoint, lists, happenings, file, text';

const tables: readonly [name: string, sql: string][] = [
  ...resourceKinds.map((kind): [string, string] => [kind, `SELECT ${columns} FROM ${kind} ORDER BY id`]),
  ['member', 'SELECT pinpoint, list, shown FROM member ORDER BY pinpoint, list'],
  ['application', 'SELECT id, document FROM application ORDER BY id'],
];

/** The number of rows that are hashed before the other work of the thread may run. */
const sliceRows = 1_000;

/** Yields every row of the file as JSON text, table by table, in order, all from one moment. It reads on a connection of its own, which is
 * closed at the end of the iteration; until then the WAL cannot be emptied.
 * @throws ReadModelsUnavailable */
export function* sqliteRows(file: string): Generator<string> {
  const db = snapshot(file);
  try {
    yield* rows(db);
  } finally {
    db.close();
  }
}

/** @throws ReadModelsUnavailable */
export const sqliteDigest = async (file: string): Promise<SqliteDigest> => {
  const db = snapshot(file);
  try {
    const positions = db
      .prepare<[], [number, string, number, string]>('SELECT partition, incarnation, position, event FROM position ORDER BY partition')
      .raw()
      .all()
      .map(([partition, incarnation, position, event]) => ({ partition, incarnation, position, event }));
    const hash = createHash('sha256');
    let count = 0;
    for (const row of rows(db)) {
      hash.update(row).update('\n');
      count += 1;
      if (count % sliceRows === 0) await setImmediate();
    }
    return { positions, rows: hash.digest('hex') };
  } finally {
    db.close();
  }
};

/** Returns the highest id of each kind, deleted objects included.
 * @throws ReadModelsUnavailable */
export const sqliteHighestIds = (file: string): Readonly<Record<ResourceKind, number>> => {
  const db = openReader(file);
  try {
    return byResourceKind((kind) => db.prepare<[], number>(`SELECT ifnull(max(id), 0) FROM ${kind}`).pluck().get() ?? 0);
  } finally {
    db.close();
  }
};

const snapshot = (file: string): Database => openReader(file).exec('BEGIN');

function* rows(db: Database): Generator<string> {
  for (const [name, sql] of tables) {
    for (const row of db.prepare<[], unknown[]>(sql).raw().iterate()) yield JSON.stringify([name, ...row]);
  }
}
