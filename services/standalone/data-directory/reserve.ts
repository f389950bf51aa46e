import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, rmSync, statfsSync, statSync, truncateSync, writeSync } from 'node:fs';
import { moveDurably } from '@waymark/files/durable.ts';
import { isNoRoom } from '@waymark/files/no-room.ts';
import { createExclusively, incomingName, writePrivate } from '@waymark/files/private.ts';
import SQLite from 'better-sqlite3';
import { currentFile } from '../read-side/generations.ts';
import type { DataDirectory } from './data-directory.ts';

/** More than a start needs: the shared memory of three SQLite files, and some pages of their write-ahead logs. */
const reserveBytesMax = 2 * 1024 * 1024;
/** Space for the file by which commands find the server and for the facts of the log. It is kept until these are written. */
const reserveBytesMin = 16 * 1024;

type Kept = Pick<DataDirectory, 'path' | 'reserve'>;

/** On a full disk, releases the reserved space, and first uses it for what SQLite needs to read its files.
 * @returns undefined if the disk has space; otherwise a function to call once the files are open */
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
    // The code that opens the file later reports what is wrong with it.
    close();
    return () => undefined;
  }
};

/** Reserves space for the next start: the whole reserve if the disk has enough space; with `all`, at the end of the process, also a smaller
 * one. */
export const keepReserve = (directory: Kept, all: boolean): void => {
  const kept = sizeOf(directory.reserve);
  const free = freeBytes(directory);
  const bytes = Math.floor(Math.min(reserveBytesMax, all ? free : free / 2));
  // The new reserve replaces the old one.
  if (bytes > kept && bytes >= (all ? reserveBytesMin : reserveBytesMax)) fill(directory.reserve, bytes);
};

/** Writes a private file that is smaller than a block. On a full disk, it writes the file into the blocks of the reserve, which no other
 * process can take.
 * @throws the error of the file system */
export const writeWithReserve = ({ reserve }: Kept, file: string, text: string): void => {
  try {
    writePrivate(file, text);
  } catch (error) {
    if (!isNoRoom(error) || sizeOf(reserve) === 0) throw error;
    overwrite(reserve, Buffer.from(`${text}\n`));
    moveDurably(reserve, file);
  }
};

/** Removes such a file; on a full disk, its block becomes the reserve for the next one. */
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

/** Returns the free space; enough if the file system does not report it. */
const freeBytes = ({ path }: Pick<DataDirectory, 'path'>): number => {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return reserveBytesMax;
  }
};

/** Fills the file with random bytes, because a file system may store zeros without allocating space. */
const fill = (file: string, bytes: number): void => {
  const incoming = incomingName(file);
  try {
    writeRandom(incoming, bytes);
    moveDurably(incoming, file);
  } catch {
    // Best effort: the end of this process and the next start try again.
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
