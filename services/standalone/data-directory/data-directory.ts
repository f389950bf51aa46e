import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeDirectory } from '@waymark/files/durable.ts';
import { removeIncoming } from '@waymark/files/private.ts';
import { ownDirectory } from '@waymark/runtime/directory.ts';

/** The paths of the parts of an installation. */
export type DataDirectory = {
  readonly path: string;
  readonly log: string;
  /** The file of the known facts of the log. */
  readonly facts: string;
  readonly readModels: string;
  readonly history: string;
  /** The file in which a rebuild fills the next history. */
  readonly nextHistory: string;
  /** The files that `verify` builds from the log to compare them. */
  readonly comparedReadModels: string;
  readonly comparedHistory: string;
  /** The file of the accounts' trees. */
  readonly proofs: string;
  /** The directory of the notary. */
  readonly notary: string;
  readonly tokens: string;
  readonly media: string;
  readonly keys: string;
  readonly operator: string;
  readonly firstApplication: string;
  /** The file that reserves space, which a start on a full disk can use. */
  readonly reserve: string;
  /** The file that exists while writes are closed. */
  readonly writesClosed: string;
  /** Releases the directory, so that another process can own it. */
  readonly release: () => void;
};

export const partsOf = (directory: string) => {
  const path = resolve(directory);
  return {
    path,
    log: join(path, 'log.db'),
    facts: join(path, 'log-facts.json'),
    readModels: join(path, 'read-models'),
    history: join(path, 'history.db'),
    nextHistory: join(path, 'history.db.next'),
    comparedReadModels: join(path, 'read-models', 'verification.tmp'),
    comparedHistory: join(path, 'history-verification.tmp'),
    proofs: join(path, 'proofs.db'),
    notary: join(path, 'notary'),
    tokens: join(path, 'tokens.db'),
    media: join(path, 'media'),
    keys: join(path, 'keys.json'),
    operator: join(path, 'operator.json'),
    reserve: join(path, 'reserve'),
    firstApplication: join(path, 'first-application.json'),
    writesClosed: join(path, 'writes-closed.json'),
  };
};

/** Makes the directory if it does not exist, and owns it until `release` is called or this process dies. Removes the files that a process
 * was building when it was killed: they may contain what is erased from now on.
 * @throws DirectoryRefused, DirectoryInUse */
export const ownDataDirectory = (directory: string, warn = warnOnStderr): DataDirectory => {
  const { path, release } = ownDirectory(directory, warn);
  const parts = partsOf(path);
  if (!makeDirectory(parts.readModels)) removeIncoming(parts.readModels);
  for (const file of [parts.nextHistory, parts.comparedReadModels, parts.comparedHistory]) dropFile(file);
  return { ...parts, release };
};

const warnOnStderr = (warning: string): void => void process.stderr.write(`waymark: ${warning}\n`);

/** Removes a SQLite file that no process has open, and its companion files. */
export const dropFile = (file: string): void => {
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
};
