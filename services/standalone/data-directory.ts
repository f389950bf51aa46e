import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import SQLite from 'better-sqlite3';

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
  /** Gives the directory up. */
  readonly release: () => void;
};

/** Another process owns the data directory. */
export class DirectoryInUse extends Error {}

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
  };
};

/** Makes the directory where there is none, and owns it until released, or until this process dies.
 * @throws DirectoryInUse */
export const ownDataDirectory = (directory: string): DataDirectory => {
  const parts = partsOf(directory);
  mkdirSync(parts.path, { recursive: true, mode: 0o700 });
  const release = lock(join(parts.path, 'lock.db'), parts.path);
  mkdirSync(parts.readModels, { recursive: true, mode: 0o700 });
  return { ...parts, release };
};

/** Of two that come at the same moment neither would get the lock at once. */
const lockWaitMs = 500;

/** The operating system drops a lock on a SQLite file with the process that holds it: no stale lock is ever left. */
const lock = (file: string, directory: string): (() => void) => {
  const db = new SQLite(file, { timeout: lockWaitMs });
  try {
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
    throw new DirectoryInUse(`${directory} is in use by another process.`);
  }
  chmodSync(file, 0o600);
  return () => {
    db.close();
  };
};

/** Secrets that an installation makes for itself, and keeps. */
export type Keys = {
  /** The first signs page cursors; all are accepted. */
  readonly cursors: readonly string[];
  /** Under which idempotency keys are hashed. */
  readonly idempotency: string;
};

/** The installation's keys, made at its first start. */
export const keysIn = (file: string): Keys => {
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Keys;
  const keys: Keys = { cursors: [randomKey()], idempotency: randomKey() };
  writePrivate(file, JSON.stringify(keys));
  return keys;
};

export const randomKey = (): string => randomBytes(32).toString('base64url');

/** A file for its owner's eyes only; whole or not at all. */
export const writePrivate = (file: string, text: string): void => {
  const incoming = `${file}.incoming`;
  writeFileSync(incoming, `${text}\n`, { mode: 0o600, flush: true });
  renameSync(incoming, file);
};

/** Removes a SQLite file that nobody has open, and what belongs to it. */
export const dropFile = (file: string): void => {
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
};
