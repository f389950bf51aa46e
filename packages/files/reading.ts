import { constants, lstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A link, a directory or anything else is in the place of a regular file, or a link is in the place of a directory. */
export class NotRegular extends Error {}

/** Opens a regular file for reading, by its path below a directory. No link below the directory is followed.
 * @throws NotRegular, the file system's error */
export const openRegular = async (directory: string, path: string): Promise<FileHandle> => {
  checkRegular(directory, path);
  const handle = await open(join(directory, path), reading);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new NotRegular(`${join(directory, path)} is not a regular file.`);
};

/** Flags that follow no link, and do not wait for the other end of a pipe. */
const reading = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Checks that a path below a directory is a regular file, and that no directory on the way is a link.
 * @throws NotRegular, the file system's error */
export const checkRegular = (directory: string, path: string): void => {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) checkFolder(join(directory, folder));
  if (!lstatSync(join(directory, path)).isFile()) throw new NotRegular(`${join(directory, path)} is not a regular file.`);
};

/** Checks that a path is a directory, if it exists.
 * @throws NotRegular where anything but a directory is there */
export const checkFolder = (path: string): void => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isDirectory()) throw new NotRegular(`${path} is not a directory.`);
};
