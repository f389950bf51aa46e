import { byResourceKind, type ResourceKind } from '@waymark/domain/streams.ts';
import type { Database } from 'better-sqlite3';
import type { ApplicationDocument, Document, ReadPosition } from '../read-models.ts';
import { parseApplication } from '../stored-application.ts';

type Flag = 0 | 1;
type PositionRow = [incarnation: string, position: number, event: string];
type DocumentRow = [string, number, Flag, Flag, string, string | null, number, number];

const documentSql = (kind: ResourceKind): string =>
  `SELECT account, revision, shown, present, text, file, lists, happenings FROM ${kind} WHERE id = ?`;

export const sqliteFind = (db: Database): ((kind: ResourceKind, id: number) => Document | undefined) => {
  const statements = byResourceKind((kind) => db.prepare<[number], DocumentRow>(documentSql(kind)).raw());
  return (kind, id) => {
    const row = statements[kind].get(id);
    if (!row) return undefined;
    const [account, revision, shown, present, text, file, lists, happenings] = row;
    return { id, account, revision, shown: shown === 1, present: present === 1, text, file, lists, happenings };
  };
};

export const sqliteApplication = (db: Database): ((id: string) => ApplicationDocument | undefined) => {
  const statement = db.prepare<[string], string>('SELECT document FROM application WHERE id = ?').pluck();
  return (id) => {
    const document = statement.get(id);
    return document === undefined ? undefined : parseApplication(document);
  };
};

export const sqliteApplications = (db: Database): ((after: string, limit: number) => ApplicationDocument[]) => {
  const statement = db.prepare<[string, number], string>('SELECT document FROM application WHERE id > ? ORDER BY id LIMIT ? + 0').pluck();
  return (after, limit) => statement.all(after, limit).map(parseApplication);
};

export const sqlitePosition = (db: Database): ((partition: number) => ReadPosition | undefined) => {
  const statement = db.prepare<[number], PositionRow>('SELECT incarnation, position, event FROM position WHERE partition = ?').raw();
  return (partition) => {
    const row = statement.get(partition);
    if (!row) return undefined;
    const [incarnation, position, event] = row;
    return { incarnation, position, event };
  };
};
