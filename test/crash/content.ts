import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session, Thing } from '../api/session.ts';
import { kinds, walk } from './load/objects.ts';

export type Content = Readonly<Record<string, readonly Thing[]>>;

/** Returns everything that an account sees, page by page. */
export const contentOf = async (session: Session): Promise<Content> => {
  const content: Record<string, readonly Thing[]> = {};
  for (const kind of kinds) content[kind] = await walk(session, `/${kind}`);
  for (const { id } of content['lists'] ?? []) content[`pinpoints?list=${id}`] = await walk(session, `/pinpoints?list=${id}`);
  return content;
};

/** Returns the SHA-256 of each file in a directory, by path. SQLite's shared memory files and the lock file are left out. */
export const filesIn = (directory: string): Readonly<Record<string, string>> => {
  if (!existsSync(directory)) return {};
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).filter((path) => !/(-shm|lock\.db)$/.test(path));
  return Object.fromEntries(paths.sort().map((path) => [path.slice(directory.length + 1), digestOf(path)]));
};

const digestOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');
