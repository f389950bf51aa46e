import { createHash } from 'node:crypto';
import { constants, createReadStream, existsSync } from 'node:fs';
import { copyFile, mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { release } from '@waymark/domain/release.ts';
import { copyLog } from '@waymark/event-log/sqlite-maintenance.ts';
import type { DataDirectory } from './data-directory.ts';

/** What a backup holds, beside itself: paths within its directory and the SHA-256 (hex) of each file. */
type Manifest = {
  readonly release: string;
  readonly incarnation: string;
  readonly head: number;
  readonly time: string;
  readonly files: Readonly<Record<string, string>>;
};

export type BackupDone = { readonly directory: string; readonly files: number; readonly head: number };

/** The backup cannot be made there, or is not what was written. */
export class BackupRefused extends Error {}

/** Copies the installation while it works: the log as of one moment, then every file that it can name. The read side follows from
 * the log, and tokens are never restored.
 * @throws BackupRefused where the directory holds anything */
export const backUp = async (from: DataDirectory, into: string): Promise<BackupDone> => {
  const directory = resolve(into);
  if ((await openDirectory(directory)).length > 0) throw new BackupRefused(`${directory} is not empty.`);
  const { incarnation, head } = await copyLog(from.log, join(directory, 'log.db'));
  await copyFile(from.keys, join(directory, 'keys.json'));
  await copyTree(from.media, join(directory, 'media'));
  await syncTree(directory);
  const files = await checksums(directory);
  const manifest: Manifest = { release, incarnation, head, time: new Date().toISOString(), files };
  await writeFile(join(directory, manifestName), JSON.stringify(manifest, null, 2), { mode: 0o600, flush: true });
  return { directory, files: Object.keys(files).length, head };
};

/** What a directory holds, made where there is none. @throws BackupRefused where it cannot be made or read */
export const openDirectory = async (directory: string): Promise<readonly string[]> => {
  try {
    await makeDirectories(directory);
    return await readdir(directory);
  } catch (error) {
    throw new BackupRefused(`${directory} cannot be used: ${(error as Error).message}`, { cause: error });
  }
};

/** One after the other: where none can be made, as below /proc, Node's recursive way never ends. */
const makeDirectories = async (directory: string): Promise<void> => {
  if (existsSync(directory)) return;
  await makeDirectories(dirname(directory));
  await mkdir(directory, { mode: 0o700 });
};

const manifestName = 'backup.json';

const manifestIn = async (backup: string): Promise<Manifest> => {
  const manifest: Manifest = JSON.parse(await readFile(join(backup, manifestName), 'utf8'));
  if (Object.keys(manifest.files).length === 0) throw new Error('It names no file.');
  return manifest;
};

/** What a complete backup holds; every file is what was written.
 * @throws BackupRefused */
export const checkedManifest = async (backup: string): Promise<Manifest> => {
  const manifest = await manifestIn(backup).catch(() => {
    throw new BackupRefused(`${backup} holds no complete backup: its ${manifestName} is missing or damaged.`);
  });
  for (const [file, expected] of Object.entries(manifest.files)) {
    const found = await checksum(join(backup, file)).catch(() => 'missing');
    if (found !== expected) throw new BackupRefused(`${join(backup, file)} is not what was backed up.`);
  }
  return manifest;
};

const copyTree = async (from: string, to: string): Promise<void> => {
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.parentPath === join(from, 'incoming')) continue;
    const folder = join(to, entry.parentPath.slice(from.length));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await copyFile(join(entry.parentPath, entry.name), join(folder, entry.name), constants.COPYFILE_FICLONE);
  }
};

/** A file of a backup, by its path within it, into a directory. */
export const copyInto = async (from: string, to: string, file: string): Promise<void> => {
  await mkdir(join(to, file, '..'), { recursive: true, mode: 0o700 });
  await copyFile(join(from, file), join(to, file), constants.COPYFILE_FICLONE);
};

/** Waits until a directory, and everything in it, is on the disk. */
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
    const path = join(entry.parentPath, entry.name);
    sums[path.slice(directory.length + 1)] = await checksum(path);
  }
  return sums;
};

const checksum = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
};
