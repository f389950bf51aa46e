import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeDirectory, moveDurably } from '@waymark/files/durable.ts';
import { writePrivate } from '@waymark/files/private.ts';
import { type DataDirectory, ownDataDirectory, partsOf } from '../data-directory/data-directory.ts';
import { highestIds, renewClosedLog } from '../data-directory/renewal.ts';
import { copyInto, syncTree } from './backup.ts';
import { checkedManifest, type Manifest } from './manifest.ts';
import { notaryContinues } from './restored-notary.ts';

export type RestoreDone = {
  /** The directory of the content that the data directory had before; null if it was empty. */
  readonly keptIn: string | null;
  /** The position of the last restored event. */
  readonly head: number;
  /** Whether the notary has signed the last checkpoint that the restored log has, and none after it. */
  readonly notaryContinues: boolean;
};

/** Replaces the content of a data directory by a backup. The previous content is kept in a subdirectory. No other process may own the
 * directory.
 * @param notary the directory of the notary, if it is not in the data directory
 * @throws BackupRefused, DirectoryInUse, DirectoryRefused */
export const restoreBackup = async (from: string, dataDirectory: string, notary = ''): Promise<RestoreDone> => {
  const backup = resolve(from);
  const manifest = await checkedManifest(backup);
  const directory = ownDataDirectory(dataDirectory);
  try {
    await finishRestore(directory);
    const incoming = join(directory.path, incomingName);
    await fill(incoming, backup, manifest, directory).catch(async (error) => {
      await rm(incoming, { recursive: true, force: true });
      throw error;
    });
    moveDurably(incoming, join(directory.path, readyName));
    const keptIn = await changeOver(directory);
    return { keptIn, head: manifest.head, notaryContinues: await notaryContinues(directory.log, notary || directory.notary) };
  } finally {
    directory.release();
  }
};

/** Copies everything that will replace the current content, and writes the name of the subdirectory for the current content. Complete and
 * on the disk when the promise resolves. */
const fill = async (incoming: string, backup: string, { files }: Manifest, directory: DataDirectory): Promise<void> => {
  makeDirectory(join(incoming, 'media'));
  for (const [file, sha256] of Object.entries(files)) await copyInto(backup, incoming, file, sha256);
  const parts = partsOf(incoming);
  await renewClosedLog(parts.log, parts.tokens, highestIds(directory));
  writePrivate(join(incoming, keptName), newKeptName());
  await syncTree(incoming);
};

/** Finishes a restore that a crash has interrupted: removes an incomplete copy, and puts a complete one in place. */
export const finishRestore = async (directory: DataDirectory): Promise<void> => {
  await rm(join(directory.path, incomingName), { recursive: true, force: true });
  if (existsSync(join(directory.path, readyName))) await changeOver(directory);
};

/** The directory of a copy that is in progress or no longer needed; a start removes it. */
const incomingName = 'restoring';
/** The directory of a complete copy: from now on, the restored log is the valid one. */
const readyName = 'restored';

/** The file with the name of the subdirectory for the replaced content, so that the name stays the same after a crash. */
const keptName = 'kept-in';

const newKeptName = (): string => `replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;

const restoredParts = ['log.db', 'keys.json', 'media'];
const droppedParts = ['log.db-wal', 'log.db-shm', 'log-facts.json', 'tokens.db', 'tokens.db-wal', 'tokens.db-shm', 'read-models'];

/** Moves the current content aside and the restored content into its place, one part at a time, so that it can be continued after a crash. */
const changeOver = async (directory: DataDirectory): Promise<string | null> => {
  const ready = join(directory.path, readyName);
  const kept = join(directory.path, keptNameIn(ready));
  const left = restoredParts.filter((part) => existsSync(join(ready, part)));
  // If all parts are in place already, no part may be moved aside.
  if (left.length > 0) {
    for (const part of [...left, ...droppedParts]) await moveAside(join(directory.path, part), join(kept, part));
    for (const part of left) moveDurably(join(ready, part), join(directory.path, part));
  }
  makeDirectory(directory.readModels);
  // A crash may interrupt the removal. Under this name, the rest is not taken for a restore that must be completed.
  moveDurably(ready, join(directory.path, incomingName));
  await rm(join(directory.path, incomingName), { recursive: true });
  return existsSync(join(kept, 'log.db')) ? kept : null;
};

/** Returns the name of the subdirectory for the replaced content. Writes a new name if there is none: release 0.1.0 removed the name before
 * the directory, once all parts were in place. */
const keptNameIn = (ready: string): string => {
  const file = join(ready, keptName);
  const name = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (/^replaced-[\w-]+$/.test(name)) return name;
  const fresh = newKeptName();
  writePrivate(file, fresh);
  return fresh;
};

const moveAside = async (part: string, kept: string): Promise<void> => {
  if (!existsSync(part)) return;
  // The part was moved before a crash: the current one was made since, and is empty.
  if (existsSync(kept)) return rm(part, { recursive: true });
  makeDirectory(join(kept, '..'));
  moveDurably(part, kept);
};
