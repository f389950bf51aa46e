import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { moveDurably } from '@waymark/files/durable.ts';
import { MediaNameTaken } from '../media.ts';
import { codeOf } from './errors.ts';

export type FileWriter = {
  /** Overwrites nothing. @throws MediaNameTaken */
  readonly write: (folder: string, name: string, bytes: Uint8Array) => Promise<void>;
  /** Leaves an empty file, whatever was there. */
  readonly empty: (folder: string, name: string) => Promise<void>;
};

/** Writes files that are whole and durable from the moment that they are there. Each is made under another name in
 * `incoming`, which must be on the same file system; what a crash leaves there is nobody's. */
export const createFileWriter = (directory: string, incoming: string): FileWriter => {
  const prepared = new Map<string, Promise<void>>();

  /** Once per folder and process: another process may have made the folder and died before the disk had it. */
  const prepare = (path: string): Promise<void> => {
    const preparing = prepared.get(path) ?? makeFolder(path);
    prepared.set(path, preparing);
    return preparing.catch((error) => {
      prepared.delete(path);
      throw error;
    });
  };

  const made = async (
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
    write: (folder, name, bytes) => made(folder, name, bytes, (temporary, path) => place(temporary, path, bytes)),
    empty: (folder, name) => made(folder, name, Buffer.of(), moveDurably),
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

/** A link, as a rename would replace what is there. The same bytes again are the same file. */
const place = async (temporary: string, path: string, bytes: Uint8Array) => {
  try {
    await link(temporary, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    if (!(await readFile(path)).equals(bytes)) throw new MediaNameTaken('This media name is taken by other bytes.');
  }
};
