import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, rmSync, statfsSync, statSync, truncateSync, writeSync } from 'node:fs';
import { moveDurably } from '@waymark/files/durable.ts';
import { isNoRoom } from '@waymark/files/no-room.ts';
import { createExclusively, incomingName, writePrivate } from '@waymark/files/private.ts';
import SQLite from 'better-sqlite3';
import { currentFile } from '../read-side/generations.ts';
import type { DataDirectory } from './data-directory.ts';

/** More than a start needs: SQLite's shared memory of three files, and some pages of their write-ahead logs. */
const reserveBytesMax = 2 * 1024 * 1024;
/** What the file that tells commands where the server is needs, and a note on the log: kept until that is written. */
const reserveBytesMin = 16 * 1024;

type Kept = Pick<DataDirectory, 'path' | 'reserve'>;

/** On a full disk, gives back the room that was kept, and takes first of it what the files of SQLite need to be read.
 * @returns undefined where there is room; else what to call once the files are open */
export const useReserve = (directory: DataDirectory): (() => void) | undefined => {
  if (freeBytes(directory) >= reserveBytesMax) return undefined;
  if (sizeOf(directory.reserve) > reserveBytesMin) truncateSync(directory.reserve, reserveBytesMin);
  const files = [directory.log, currentFile(directory.readModels), directory.tokens].filter(existsSync);
  const open = files.map((file) => new SQLite(file, { readonly: true }));
  const close = (): void => {
    for (const db of open) db.close();
  };
  try {
    for (const db of open) db.prepare('select 1 from sqlite_schema').get();
    return close;
  } catch {
    // What needs the file says what is wrong with it.
    close();
    return () => undefined;
  }
};

/** Keeps room for a start: all that it may need where there is enough of it, at the end also less. */
export const keepReserve = (directory: Kept, all: boolean): void => {
  const kept = sizeOf(directory.reserve);
  const free = freeBytes(directory);
  const bytes = Math.floor(Math.min(reserveBytesMax, all ? free : free / 2));
  // The new one takes the place of the old one.
  if (bytes > kept && bytes >= (all ? reserveBytesMin : reserveBytesMax)) fill(directory.reserve, bytes);
};

/** Writes a private file of less than a block; where there is no room for it, into the blocks of what was kept: nobody else can take those.
 * @throws the file system's error */
export const writeWithReserve = ({ reserve }: Kept, file: string, text: string): void => {
  try {
    writePrivate(file, text);
  } catch (error) {
    if (!isNoRoom(error) || sizeOf(reserve) === 0) throw error;
    overwrite(reserve, Buffer.from(`${text}\n`));
    moveDurably(reserve, file);
  }
};

/** Removes such a file; on a full disk its block is kept for the next one. */
export const removeIntoReserve = (directory: Kept, file: string): void => {
  const bytes = sizeOf(file);
  if (bytes === 0 || sizeOf(directory.reserve) > 0 || freeBytes(directory) >= reserveBytesMax) {
    rmSync(file, { force: true });
  } else {
    overwrite(file, randomBytes(bytes));
    moveDurably(file, directory.reserve);
  }
};

const overwrite = (file: string, bytes: Buffer): void => {
  const handle = openSync(file, 'r+');
  try {
    writeSync(handle, bytes, 0, bytes.length, 0);
    ftruncateSync(handle, bytes.length);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Enough where the file system does not say. */
const freeBytes = ({ path }: Pick<DataDirectory, 'path'>): number => {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return reserveBytesMax;
  }
};

/** Not with zeros: a file system may store those without any room. */
const fill = (file: string, bytes: number): void => {
  const incoming = incomingName(file);
  try {
    writeRandom(incoming, bytes);
    moveDurably(incoming, file);
  } catch {
    // Best effort: it is tried again at the end, and at the next start.
    rmSync(incoming, { force: true });
  }
};

const writeRandom = (file: string, length: number): void => {
  const handle = createExclusively(file);
  try {
    const bytes = randomBytes(length);
    for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};
