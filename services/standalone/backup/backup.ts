import { constants } from 'node:fs';
import { chmod, copyFile, open, readdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { release } from '@waymark/domain/release.ts';
import { copyLog } from '@waymark/event-log/sqlite/maintenance.ts';
import { makeDirectory } from '@waymark/files/durable.ts';
import { isNoRoom } from '@waymark/files/no-room.ts';
import type { BackupDone } from '@waymark/operations/api/answers.ts';
import { mediaFolder } from '@waymark/transfer/format.ts';
import type { DataDirectory } from '../data-directory/data-directory.ts';
import { BackupRefused, checksum, isBackupPath, writeManifest } from './manifest.ts';

/** Copies the installation while it serves: the log as of one moment, then every file that this log can name. The read models are built
 * from the log, and tokens are never restored. A copy that fails leaves nothing.
 * @throws BackupRefused if the directory is not empty, or has no room */
export const backUp = async (from: DataDirectory, into: string): Promise<BackupDone> => {
  const directory = resolve(into);
  if ((await openDirectory(directory)).length > 0) throw new BackupRefused(`${directory} is not empty.`);
  try {
    return await copyAll(from, directory);
  } catch (error) {
    for (const name of await readdir(directory)) await rm(join(directory, name), { recursive: true });
    if (isNoRoom(error)) throw new BackupRefused(`${directory} has no room for the backup.`, { cause: error });
    throw error;
  }
};

const copyAll = async (from: DataDirectory, directory: string): Promise<BackupDone> => {
  const { incarnation, head } = await copyLog(from.log, join(directory, 'log.db'));
  await copyFile(from.keys, join(directory, 'keys.json'), copying);
  await copyTree(from.media, join(directory, mediaFolder));
  await syncTree(directory);
  const files = await checksums(directory);
  writeManifest(directory, { release, incarnation, head, time: new Date().toISOString(), files });
  return { directory, files: Object.keys(files).length, head };
};

/** Returns the entries of a directory; makes the directory if it does not exist.
 * @throws BackupRefused if it cannot be made or read */
export const openDirectory = async (directory: string): Promise<readonly string[]> => {
  try {
    makeDirectory(directory);
    return await readdir(directory);
  } catch (error) {
    throw new BackupRefused(`${directory} cannot be used: ${(error as Error).message}`, { cause: error });
  }
};

/** Copies media files. Files that are being written do not have their final name yet, and are left out. */
const copyTree = async (from: string, to: string): Promise<void> => {
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(from.length + 1);
    if (!entry.isFile() || !isBackupPath(`${mediaFolder}/${path}`)) continue;
    makeDirectory(dirname(join(to, path)));
    await copyFile(join(from, path), join(to, path), copying);
  }
};

const copying = constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL;

/** Copies a file of a backup, given by its path within the backup, into a directory that no other user can write to.
 * @throws BackupRefused if the file differs from the one that was backed up */
export const copyInto = async (from: string, to: string, file: string, sha256: string): Promise<void> => {
  const copy = join(to, file);
  makeDirectory(dirname(copy));
  await copyFile(join(from, file), copy, copying);
  await chmod(copy, 0o600);
  // The backup may have been changed after it was checked.
  if ((await checksum(to, file)) !== sha256) throw new BackupRefused(`${join(from, file)} differs from the file that was backed up.`);
};

/** Waits until a directory and all its content are on the disk. */
export const syncTree = async (directory: string): Promise<void> => {
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() || entry.isDirectory()) await sync(join(entry.parentPath, entry.name));
  }
  await sync(directory);
};

const sync = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  await handle.sync();
  await handle.close();
};

const checksums = async (directory: string): Promise<Record<string, string>> => {
  const sums: Record<string, string> = {};
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name).slice(directory.length + 1);
    sums[path.replaceAll('\\', '/')] = await checksum(directory, path);
  }
  return sums;
};
