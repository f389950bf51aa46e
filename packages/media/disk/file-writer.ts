import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { moveDurably } from '@waymark/files/durable.ts';
import { MediaNameTaken } from '../media.ts';
import { codeOf } from './errors.ts';

export type FileWriter = {
  /** Writes a file, and never overwrites one.
   * @throws MediaNameTaken */
  readonly write: (folder: string, name: string, bytes: Uint8Array) => Promise<void>;
  /** Writes an empty file, and replaces an existing one. */
  readonly empty: (folder: string, name: string) => Promise<void>;
};

/** Writes files that are whole and durable as soon as they are visible. Each file is first written under another name in `incoming`, which
 * must be on the same file system. A crash may leave files there; no process uses them. */
export const createFileWriter = (directory: string, incoming: string): FileWriter => {
  const prepared = new Map<string, Promise<void>>();

  /** Makes and syncs a folder once per process. Another process may have made the folder and died before the folder was durable. */
  const prepare = (path: string): Promise<void> => {
    const preparing = prepared.get(path) ?? makeFolder(path);
    prepared.set(path, preparing);
    return preparing.catch((error) => {
      prepared.delete(path);
      throw error;
    });
  };

  const writeThroughIncoming = async (
    folder: string,
    name: string,
    bytes: Uint8Array,
    put: (temporary: string, path: string) => void | Promise<void>,
  ): Promise<void> => {
    const path = join(directory, folder);
    await prepare(path);
    const temporary = join(incoming, `${name}.${randomUUID()}`);
    try {
      await writeSynced(temporary, bytes);
      await put(temporary, join(path, name));
      await syncFolder(path);
    } finally {
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  };
  return {
    write: (folder, name, bytes) => writeThroughIncoming(folder, name, bytes, (temporary, path) => place(temporary, path, bytes)),
    empty: (folder, name) => writeThroughIncoming(folder, name, Buffer.of(), moveDurably),
  };
};

export const syncFolder = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
};

const makeFolder = async (path: string) => {
  await mkdir(path, { mode: 0o700 }).catch((error) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  await syncFolder(dirname(path));
};

const writeSynced = async (path: string, bytes: Uint8Array) => {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Links the file, because a rename would replace an existing one. Accepts an existing file with the same bytes. */
const place = async (temporary: string, path: string, bytes: Uint8Array) => {
  try {
    await link(temporary, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    if (!(await readFile(path)).equals(bytes)) throw new MediaNameTaken('This media name is taken by other bytes.');
  }
};
