import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeDirectory, moveDurably } from '@waymark/files/durable.ts';
import { writePrivate } from '@waymark/files/private.ts';
import { type DataDirectory, ownDataDirectory, partsOf } from '../data-directory/data-directory.ts';
import { highestIds, renew } from '../data-directory/renewal.ts';
import { copyInto, syncTree } from './backup.ts';
import { checkedManifest, type Manifest } from './manifest.ts';

export type RestoreDone = {
  /** Where what the data directory held before lies now; null where it held nothing. */
  readonly keptIn: string | null;
  /** Position of the last restored event. */
  readonly head: number;
};

/** Puts a backup in the place of what a data directory holds, which is kept beside it. No process may own the directory.
 * @throws BackupRefused, DirectoryInUse, DirectoryRefused */
export const restoreBackup = async (from: string, dataDirectory: string): Promise<RestoreDone> => {
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
    return { keptIn: await changeOver(directory), head: manifest.head };
  } finally {
    directory.release();
  }
};

/** Everything that is to take its place, and where what is there then goes: complete and on the disk when this resolves. */
const fill = async (incoming: string, backup: string, { files }: Manifest, directory: DataDirectory): Promise<void> => {
  makeDirectory(join(incoming, 'media'));
  for (const [file, sha256] of Object.entries(files)) await copyInto(backup, incoming, file, sha256);
  const parts = partsOf(incoming);
  await renew(parts.log, parts.tokens, highestIds(directory));
  writePrivate(join(incoming, keptName), newKeptName());
  await syncTree(incoming);
};

/** Ends a restore that a crash has cut off: what was not complete is dropped, what was complete is put in place. */
export const finishRestore = async (directory: DataDirectory): Promise<void> => {
  await rm(join(directory.path, incomingName), { recursive: true, force: true });
  if (existsSync(join(directory.path, readyName))) await changeOver(directory);
};

/** Being copied, or not needed any more: a start drops it. */
const incomingName = 'restoring';
/** Complete: from here on the restored log is the one that counts. */
const readyName = 'restored';

/** Names the directory, beside it, of what is replaced: the same one after a crash. */
const keptName = 'kept-in';

const newKeptName = (): string => `replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;

const restoredParts = ['log.db', 'keys.json', 'media'];
const droppedParts = ['log.db-wal', 'log.db-shm', 'log-facts.json', 'tokens.db', 'tokens.db-wal', 'tokens.db-shm', 'read-models'];

/** What was there moves aside, what was restored takes its place: a part at a time, so that it can be done again from the middle. */
const changeOver = async (directory: DataDirectory): Promise<string | null> => {
  const ready = join(directory.path, readyName);
  const kept = join(directory.path, keptNameIn(ready));
  const left = restoredParts.filter((part) => existsSync(join(ready, part)));
  // Where nothing is left to be put in place, nothing is to be moved aside.
  if (left.length > 0) {
    for (const part of [...left, ...droppedParts]) await moveAside(join(directory.path, part), join(kept, part));
    for (const part of left) moveDurably(join(ready, part), join(directory.path, part));
  }
  makeDirectory(directory.readModels);
  // Its removal may be cut off, and then it must not look like a restore that is to be completed.
  moveDurably(ready, join(directory.path, incomingName));
  await rm(join(directory.path, incomingName), { recursive: true });
  return existsSync(join(kept, 'log.db')) ? kept : null;
};

/** Release 0.1.0 removed the name before the directory, once all was in place. */
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
  // Moved before a crash: what is there now was made since, and holds nothing.
  if (existsSync(kept)) return rm(part, { recursive: true });
  makeDirectory(join(kept, '..'));
  moveDurably(part, kept);
};
