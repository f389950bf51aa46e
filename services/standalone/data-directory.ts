import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { lockDirectory } from '@waymark/process/lock.ts';

/** Where each part of an installation lies. */
export type DataDirectory = {
  readonly path: string;
  readonly log: string;
  readonly readModels: string;
  readonly tokens: string;
  readonly media: string;
  readonly keys: string;
  readonly operator: string;
  readonly firstApplication: string;
  /** Is there while writes are closed. */
  readonly writesClosed: string;
  /** Gives the directory up. */
  readonly release: () => void;
};

export const partsOf = (directory: string) => {
  const path = resolve(directory);
  return {
    path,
    log: join(path, 'log.db'),
    readModels: join(path, 'read-models'),
    tokens: join(path, 'tokens.db'),
    media: join(path, 'media'),
    keys: join(path, 'keys.json'),
    operator: join(path, 'operator.json'),
    firstApplication: join(path, 'first-application.json'),
    writesClosed: join(path, 'writes-closed.json'),
  };
};

/** Makes the directory where there is none, and owns it until released, or until this process dies.
 * @throws DirectoryInUse */
export const ownDataDirectory = (directory: string): DataDirectory => {
  const parts = partsOf(directory);
  mkdirSync(parts.path, { recursive: true, mode: 0o700 });
  const release = lockDirectory(parts.path);
  mkdirSync(parts.readModels, { recursive: true, mode: 0o700 });
  return { ...parts, release };
};

/** Removes a SQLite file that nobody has open, and what belongs to it. */
export const dropFile = (file: string): void => {
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
};
