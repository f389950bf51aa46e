import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeDirectory } from '@waymark/files/durable.ts';
import { removeIncoming } from '@waymark/files/private.ts';
import { ownDirectory } from '@waymark/runtime/directory.ts';

/** Where each part of an installation lies. */
export type DataDirectory = {
  readonly path: string;
  readonly log: string;
  /** What is known of the log. */
  readonly facts: string;
  readonly readModels: string;
  readonly tokens: string;
  readonly media: string;
  readonly keys: string;
  readonly operator: string;
  readonly firstApplication: string;
  /** Takes up room that a start on a full disk gets back. */
  readonly reserve: string;
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
    facts: join(path, 'log-facts.json'),
    readModels: join(path, 'read-models'),
    tokens: join(path, 'tokens.db'),
    media: join(path, 'media'),
    keys: join(path, 'keys.json'),
    operator: join(path, 'operator.json'),
    reserve: join(path, 'reserve'),
    firstApplication: join(path, 'first-application.json'),
    writesClosed: join(path, 'writes-closed.json'),
  };
};

/** Makes the directory where there is none, and owns it until released, or until this process dies.
 * @throws DirectoryRefused, DirectoryInUse */
export const ownDataDirectory = (directory: string, warn = warnOnStderr): DataDirectory => {
  const { path, release } = ownDirectory(directory, warn);
  const parts = partsOf(path);
  if (!makeDirectory(parts.readModels)) removeIncoming(parts.readModels);
  return { ...parts, release };
};

const warnOnStderr = (warning: string): void => void process.stderr.write(`waymark: ${warning}\n`);

/** Removes a SQLite file that nobody has open, and what belongs to it. */
export const dropFile = (file: string): void => {
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
};
