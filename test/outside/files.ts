import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import SQLite, { type Database } from 'better-sqlite3';
import { byText, type Masked, type Masking } from './masked.ts';

/** The directory with the configuration of nginx, and with the files that nginx itself writes. */
const edge = 'edge';

/** Returns all files of a directory except those of the edge, by path and mode, with their contents. A database is returned as its schema
 * and, unless it is a copy, its rows; a text file as its text. Several files with the same masked path are returned as a list. */
export const filesOf = (directory: string, masking: Masking, kind: 'original' | 'copy' = 'original'): Readonly<Record<string, Masked>> => {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.parentPath.startsWith(join(directory, edge)));
  const described = files.map(({ parentPath, name }) => {
    const path = join(parentPath, name);
    return [`${masking.text(relative(directory, path))} ${modeOf(path)}`, contentOf(path, masking, kind)] as const;
  });
  const byPath = Map.groupBy(described, ([path]) => path);
  const contents = [...byPath].map(([path, same]) => [path, combine(same.map(([, content]) => content))] as const);
  return Object.fromEntries(contents.toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

/** Combines the contents of files that differ only in their random names: each content once, sorted. */
const combine = (contents: readonly Masked[]): Masked => {
  const texts = [...new Set(contents.map((content) => JSON.stringify(content)))].sort();
  const [first, ...others] = texts.map((text): Masked => JSON.parse(text));
  return others.length === 0 ? (first as Masked) : [first as Masked, ...others];
};

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

const contentOf = (path: string, masking: Masking, kind: 'original' | 'copy'): Masked => {
  // The process that uses the directory holds this lock.
  if (path.endsWith('lock.db')) return 'a lock';
  if (path.endsWith('.db')) return databaseOf(path, masking, kind);
  const bytes = readFileSync(path);
  const text = bytes.toString();
  if (!Buffer.from(text).equals(bytes) || text.includes('\0')) return `${bytes.length} bytes`;
  const whole = masking.stored(text);
  const lines = masking.lines(text);
  return typeof whole !== 'string' || lines.length === 1 ? whole : lines;
};

type Table = { readonly name: string; readonly sql: string };

const databaseOf = (path: string, masking: Masking, kind: 'original' | 'copy'): Masked => {
  const database = new SQLite(path, { readonly: true });
  try {
    const all = database.prepare<[], Table>("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'").all();
    const tables = all.filter(({ sql }) => sql.startsWith('CREATE TABLE'));
    return {
      pragmas: {
        user_version: database.pragma('user_version', { simple: true }) as number,
        application_id: database.pragma('application_id', { simple: true }) as number,
      },
      schema: all.map(({ sql }) => sql.replaceAll(/\s+/g, ' ')).sort(),
      ...(kind === 'copy' ? {} : { rows: Object.fromEntries(tables.map(({ name }) => [name, rowsOf(database, name, masking)])) }),
    };
  } finally {
    database.close();
  }
};

const rowsOf = (database: Database, table: string, masking: Masking): Masked => {
  const rows = database.prepare<[], Record<string, unknown>>(`SELECT * FROM "${table}"`).all();
  const masked = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([column, value]) => [column, cellOf(value, column, masking)])),
  );
  // Rows that begin with a random id have no order.
  return masked.every((row) => Object.values(row)[0] === '<hex>') ? masked.toSorted(byText) : masked;
};

const cellOf = (value: unknown, column: string, masking: Masking): Masked => {
  if (Buffer.isBuffer(value)) return `${value.length} bytes`;
  return typeof value === 'string' ? masking.stored(value) : masking.value(value, column);
};
