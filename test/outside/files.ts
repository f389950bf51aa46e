import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import SQLite, { type Database } from 'better-sqlite3';
import type { Masked, Masking } from './masked.ts';

/** What nginx is told, and what it writes itself. */
const edge = 'edge';

/** All files of a directory by their paths, with their modes and what is in them, but for the edge's: of a database its schema and, unless it is a copy, its rows; of
 * text the text; of several files with one masked path a list. */
export const filesOf = (directory: string, masking: Masking, kind: 'original' | 'copy' = 'original'): Readonly<Record<string, Masked>> => {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.parentPath.startsWith(join(directory, edge)));
  const described = files.map(({ parentPath, name }) => {
    const path = join(parentPath, name);
    return [`${masking.text(relative(directory, path))} ${modeOf(path)}`, contentOf(path, masking, kind)] as const;
  });
  const byPath = Map.groupBy(described, ([path]) => path);
  const contents = [...byPath].map(([path, same]) => [path, together(same.map(([, content]) => content))] as const);
  return Object.fromEntries(contents.toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

/** What files are that only their random names tell apart: each content once, in an order of its own. */
const together = (contents: readonly Masked[]): Masked => {
  const texts = [...new Set(contents.map((content) => JSON.stringify(content)))].sort();
  const [first, ...others] = texts.map((text): Masked => JSON.parse(text));
  return others.length === 0 ? (first as Masked) : [first as Masked, ...others];
};

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

const contentOf = (path: string, masking: Masking, kind: 'original' | 'copy'): Masked => {
  // Held by whoever runs on the directory.
  if (path.endsWith('lock.db')) return 'a lock';
  if (path.endsWith('.db')) return databaseOf(path, masking, kind);
  const bytes = readFileSync(path);
  const text = bytes.toString();
  if (!Buffer.from(text).equals(bytes) || text.includes('\0')) return `${bytes.length} bytes`;
  const whole = masking.stored(text);
  const lines = text.trimEnd().split('\n');
  return typeof whole !== 'string' || lines.length === 1 ? whole : lines.map((line) => masking.stored(line));
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
  return masked;
};

const cellOf = (value: unknown, column: string, masking: Masking): Masked => {
  if (Buffer.isBuffer(value)) return `${value.length} bytes`;
  return typeof value === 'string' ? masking.stored(value) : masking.value(value, column);
};
