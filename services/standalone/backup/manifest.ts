import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { writePrivate } from '@waymark/files/private.ts';
import { openRegular } from '@waymark/files/reading.ts';
import { mediaTypeOf } from '@waymark/media/names.ts';
import { mediaPath } from '@waymark/transfer/reader.ts';

/** The manifest of a backup: the paths of all other files within its directory, with the SHA-256 (hex) of each. */
export type Manifest = {
  readonly release: string;
  readonly incarnation: string;
  readonly head: number;
  readonly time: string;
  readonly files: Readonly<Record<string, string>>;
};

/** A `Manifest` in the file `backup.json`. Stored: never rename. */
type StoredManifest = {
  readonly release: string;
  readonly incarnation: string;
  readonly head: number;
  readonly time: string;
  readonly files: Readonly<Record<string, string>>;
};

const toStored = (manifest: Manifest): StoredManifest => ({
  release: manifest.release,
  incarnation: manifest.incarnation,
  head: manifest.head,
  time: manifest.time,
  files: manifest.files,
});

const fromStored = (stored: StoredManifest): Manifest => ({
  release: stored.release,
  incarnation: stored.incarnation,
  head: stored.head,
  time: stored.time,
  files: stored.files,
});

export const manifestName = 'backup.json';
/** Enough for two million files. */
const manifestBytesMax = 256 * 1024 * 1024;

/** The backup cannot be made in that directory, or its files differ from those that were written. */
export class BackupRefused extends Error {}

/** Whether a backup can hold a file of this path. */
export const isBackupPath = (path: string): boolean => needed.includes(path) || isMediaPath(path);

const needed: readonly string[] = ['log.db', 'keys.json'];

const isMediaPath = (path: string): boolean => {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return mediaTypeOf(name) !== undefined && path === mediaPath(name);
};

/** Writes the manifest. The backup is complete from then on. */
export const writeManifest = (backup: string, manifest: Manifest): void =>
  writePrivate(join(backup, manifestName), JSON.stringify(toStored(manifest), null, 2));

/** Returns the manifest of a complete backup, after checking that no file has changed.
 * @throws BackupRefused */
export const checkedManifest = async (backup: string): Promise<Manifest> => {
  const manifest = await manifestIn(backup);
  for (const [file, expected] of Object.entries(manifest.files)) {
    if (!isBackupPath(file)) throw new BackupRefused(`${join(backup, manifestName)} names ${file}, which cannot be part of a backup.`);
    const found = await checksum(backup, file).catch(() => 'missing');
    if (found !== expected) throw new BackupRefused(`${join(backup, file)} differs from the file that was backed up.`);
  }
  return manifest;
};

const manifestIn = async (backup: string): Promise<Manifest> => {
  const manifest = await read(backup).catch(() => undefined);
  if (isManifest(manifest)) return fromStored(manifest);
  throw new BackupRefused(`${backup} does not hold a complete backup: its ${manifestName} is missing or damaged.`);
};

const read = async (backup: string): Promise<unknown> => {
  const handle = await openRegular(backup, manifestName);
  try {
    if ((await handle.stat()).size > manifestBytesMax) throw new Error('The manifest is too large.');
    return JSON.parse(await handle.readFile('utf8'));
  } finally {
    await handle.close();
  }
};

const isManifest = (value: unknown): value is StoredManifest => {
  if (!isObject(value)) return false;
  const { incarnation, head, files } = value;
  return (
    typeof incarnation === 'string' && Number.isSafeInteger(head) && isObject(files) && needed.every((name) => Object.hasOwn(files, name))
  );
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the SHA-256 (hex) of a file, given by its path below a directory.
 * @throws NotRegular, the error of the file system */
export const checksum = async (directory: string, path: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline((await openRegular(directory, path)).createReadStream(), hash);
  return hash.digest('hex');
};
