import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '@waymark/files/durable.ts';
import { verifiedContent } from '../content.ts';
import { diskPieceBytes, leftoverAgeMs } from '../limits.ts';
import type { Media, MediaEntry } from '../media.ts';
import { checkFile, mediaTypeOf } from '../names.ts';
import { orMissing, orUnavailable } from './errors.ts';
import { createFileWriter, syncFolder } from './file-writer.ts';

/** Opens a store of files in the local file system: `<directory>/<first 2 hex digits>/<name>`, readable by the owner only. Files that are
 * being written lie in `<directory>/incoming`. The directory is made if it does not exist. One process at a time owns it.
 * @throws the error of the file system if the directory cannot be made */
export const openDiskMedia = ({ directory }: { readonly directory: string }): Media => {
  const incoming = join(directory, 'incoming');
  makeDirectory(incoming);
  const { write, empty } = createFileWriter(directory, incoming);

  return {
    put: async (name, bytes) => {
      checkFile(name, bytes);
      await orUnavailable(() => write(folderOf(name), name, bytes));
    },
    get: async (name) => {
      const type = mediaTypeOf(name);
      if (type === undefined) return undefined;
      const size = await orUnavailable(() => sizeOf(directory, name));
      if (size === undefined) return undefined;
      if (size === 0) return 'erased';
      return {
        type,
        size,
        pieceBytes: Math.min(size, diskPieceBytes),
        content: (signal) => verifiedContent(size, piecesOf(pathOf(directory, name), size), signal),
      };
    },
    erase: async (name) => {
      if (mediaTypeOf(name) !== undefined) await orUnavailable(() => empty(folderOf(name), name));
    },
    remove: async (name) => {
      if (mediaTypeOf(name) === undefined) return;
      await orUnavailable(() => orMissing(() => removeDurably(directory, name)));
    },
    list: async function* () {
      await orUnavailable(() => removeLeftovers(incoming));
      for (const folder of await orUnavailable(() => foldersOf(directory))) {
        for (const name of await orUnavailable(() => readdir(join(directory, folder)))) {
          const entry = await orUnavailable(() => entryOf(directory, folder, name));
          if (entry) yield entry;
        }
      }
    },
  };
};

const folderOf = (name: string): string => name.slice(0, 2);
const pathOf = (directory: string, name: string): string => join(directory, folderOf(name), name);

const sizeOf = async (directory: string, name: string): Promise<number | undefined> => {
  const found = await orMissing(() => stat(pathOf(directory, name)));
  // If only the file is missing, there is no such file. If the directory is missing, the store is unavailable.
  if (found === undefined) await stat(directory);
  return found?.size;
};

/** Keeps the file open while it is read: a reader reaches its end even if the file is removed in the meantime. */
async function* piecesOf(path: string, size: number): AsyncGenerator<Uint8Array> {
  const file = await orUnavailable(() => open(path));
  try {
    for (let at = 0; at < size; ) {
      const length = Math.min(diskPieceBytes, size - at);
      const { buffer, bytesRead } = await orUnavailable(() => file.read(Buffer.allocUnsafeSlow(length), 0, length, at));
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

const removeDurably = async (directory: string, name: string) => {
  await rm(pathOf(directory, name));
  await syncFolder(join(directory, folderOf(name)));
};

const foldersOf = async (directory: string): Promise<readonly string[]> => {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && /^[0-9a-f]{2}$/.test(entry.name)).map(({ name }) => name);
};

/** Returns undefined for a file that was removed in the meantime, and for a file that does not belong to the store. */
const entryOf = async (directory: string, folder: string, name: string): Promise<MediaEntry | undefined> => {
  if (mediaTypeOf(name) === undefined || folderOf(name) !== folder) return undefined;
  const found = await orMissing(() => stat(pathOf(directory, name)));
  return found?.isFile() ? { name, erased: found.size === 0, storedAtMs: Math.floor(found.mtimeMs) } : undefined;
};

/** Removes unfinished files of processes that crashed. */
const removeLeftovers = async (incoming: string) => {
  const oldestMs = Date.now() - leftoverAgeMs;
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const found = await orMissing(() => stat(path));
    if (found && found.mtimeMs < oldestMs) await rm(path, { force: true });
  }
};
