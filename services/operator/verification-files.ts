import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDirectory, lockFile } from '@waymark/runtime/lock.ts';
import type { Logger } from 'pino';

const prefix = 'waymark-verification-';

/** Gives a file in a directory of its own, which is removed when `use` ends. While it is in use, this process owns the directory. */
export const inTemporaryFile = async <Result>(
  name: string,
  use: (file: string) => Promise<Result>,
  parent: string = tmpdir(),
): Promise<Result> => {
  const directory = mkdtempSync(join(parent, prefix));
  try {
    const release = lockDirectory(directory);
    return await use(join(directory, name)).finally(release);
  } finally {
    remove(directory);
  }
};

/** Removes the directories whose process was killed: their files have what the log had then, also what was erased later. */
export const removeAbandoned = (logger: Pick<Logger, 'warn'>, parent: string = tmpdir()): void => {
  try {
    const directories = readdirSync(parent).filter((name) => name.startsWith(prefix));
    for (const directory of directories.map((name) => join(parent, name))) if (isAbandoned(directory)) remove(directory);
  } catch (error) {
    logger.warn({ err: error }, 'the files of an interrupted verification could not be removed');
  }
};

/** Reports whether no process owns a directory of this user. One without a lock is just being made. */
const isAbandoned = (directory: string): boolean => {
  try {
    if (lstatSync(directory).uid !== process.geteuid?.() || !readdirSync(directory).includes(lockFile)) return false;
    lockDirectory(directory)();
    return true;
  } catch {
    return false;
  }
};

const remove = (directory: string): void => rmSync(directory, { recursive: true, force: true });
