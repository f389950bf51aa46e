import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { moveDurably } from '@waymark/files/durable.ts';
import { writePrivate } from '@waymark/files/private.ts';
import { checkedManifest, copyInto, syncTree } from './backup.ts';
import { type DataDirectory, ownDataDirectory, partsOf } from './data-directory.ts';
import { highestIds, renew } from './renewal.ts';

export type RestoreDone = {
  /** Where what the data directory held before lies now; null where it held nothing. */
  readonly keptIn: string | null;
  /** Position of the last restored event. */
  readonly head: number;
};

/** Puts a backup in the place of what a data directory holds, which is kept beside it. No process may own the directory.
 * @throws BackupRefused, DirectoryInUse */
export const restoreBackup = async (from: string, dataDirectory: string): Promise<RestoreDone> => {
  const backup = resolve(from);
  const manifest = await checkedManifest(backup);
  const directory = ownDataDirectory(dataDirectory);
  try {
    const incoming = join(directory.path, incomingName);
    await finishRestore(directory);
    await mkdir(join(incoming, 'media'), { recursive: true, mode: 0o700 });
    for (const file of Object.keys(manifest.files)) await copyInto(backup, incoming, file);
    const parts = partsOf(incoming);
    await renew(parts.log, parts.tokens, highestIds(directory));
    writePrivate(join(incoming, keptName), `replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`);
    await syncTree(incoming);
    moveDurably(incoming, join(directory.path, readyName));
    return { keptIn: await changeOver(directory), head: manifest.head };
  } finally {
    directory.release();
  }
};

/** Ends a restore that a crash has cut off: what was not complete is dropped, what was complete is put in place. */
export const finishRestore = async (directory: DataDirectory): Promise<void> => {
  await rm(join(directory.path, incomingName), { recursive: true, force: true });
  if (existsSync(join(directory.path, readyName))) await changeOver(directory);
};

/** Being copied. */
const incomingName = 'restoring';
/** Complete: from here on the restored log is the one that counts. */
const readyName = 'restored';

/** Names the directory, beside it, of what is replaced: the same one after a crash. */
const keptName = 'kept-in';

const restoredParts = ['log.db', 'keys.json', 'media'];
const droppedParts = ['log.db-wal', 'log.db-shm', 'tokens.db', 'tokens.db-wal', 'tokens.db-shm', 'read-models'];

/** What was there moves aside, what was restored takes its place: a part at a time, so that it can be done again from the middle. */
const changeOver = async (directory: DataDirectory): Promise<string | null> => {
  const ready = join(directory.path, readyName);
  const kept = join(directory.path, (await readFile(join(ready, keptName), 'utf8')).trim());
  for (const part of restoredParts) {
    if (existsSync(join(ready, part))) await moveAside(join(directory.path, part), join(kept, part));
  }
  for (const part of droppedParts) await moveAside(join(directory.path, part), join(kept, part));
  for (const part of restoredParts) {
    if (existsSync(join(ready, part))) moveDurably(join(ready, part), join(directory.path, part));
  }
  await mkdir(directory.readModels, { recursive: true, mode: 0o700 });
  await rm(ready, { recursive: true });
  return existsSync(join(kept, 'log.db')) ? kept : null;
};

const moveAside = async (part: string, kept: string): Promise<void> => {
  if (!existsSync(part)) return;
  // Moved before a crash: what is there now was made since, and holds nothing.
  if (existsSync(kept)) return rm(part, { recursive: true });
  await mkdir(join(kept, '..'), { recursive: true, mode: 0o700 });
  moveDurably(part, kept);
};
