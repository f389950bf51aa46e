import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';

/** Renames a file or a directory, and returns once its new name is on the disk. An existing file is replaced.
 * @throws the file system's error */
export const moveDurably = (from: string, to: string): void => {
  renameSync(from, to);
  syncDirectory(dirname(to));
  if (dirname(from) !== dirname(to)) syncDirectory(dirname(from));
};

/** Returns once the names in a directory are on the disk. Does nothing on Windows and on file systems that offer no such call, and for a
 * directory that this process cannot read.
 * @throws the file system's error */
export const syncDirectory = (path: string): void => {
  if (process.platform === 'win32') return;
  try {
    sync(path);
  } catch (error) {
    if (!notOffered.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
};

const sync = (path: string): void => {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};

const notOffered = new Set(['EINVAL', 'EBADF', 'ENOTSUP', 'EOPNOTSUPP', 'EACCES', 'EPERM']);

/** Creates a directory, and the missing ones above it, for their owner only. They are on the disk when this returns.
 * @returns false where the directory existed
 * @throws the file system's error */
export const makeDirectory = (path: string): boolean => {
  if (existsSync(path)) return false;
  // Directories are created one after the other: where none can be created, as below /proc, Node's own recursion never ends.
  makeDirectory(dirname(path));
  mkdirSync(path, { mode: 0o700 });
  syncDirectory(dirname(path));
  return true;
};
