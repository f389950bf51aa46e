import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '@waymark/files/durable.ts';
import { orMissing, orUnavailable } from './disk-errors.ts';
import { fileWriter, syncFolder } from './disk-writing.ts';
import { leftoverAgeMs } from './limits.ts';
import type { Media, MediaEntry } from './media.ts';
import { checkedType, mediaTypeOf } from './names.ts';

/** Files of the local file system: `<directory>/<first 2 hex digits>/<name>`, for their owner's eyes only. What is being written lies in
 * `<directory>/incoming`. The directory is made where there is none; one process at a time owns it.
 * @throws the file system's error where the directory cannot be made */
export const diskMedia = ({ directory }: { readonly directory: string }): Media => {
  const incoming = join(directory, 'incoming');
  makeDirectory(incoming);
  const write = fileWriter(directory, incoming);

  return {
    put: async (name, bytes) => {
      checkedType(name);
      await orUnavailable(() => write(folderOf(name), name, bytes));
    },
    get: async (name) => {
      const type = mediaTypeOf(name);
      if (type === undefined) return undefined;
      const bytes = await orUnavailable(() => read(directory, name));
      return bytes && { bytes, type };
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

const read = async (directory: string, name: string): Promise<Uint8Array | undefined> => {
  const bytes = await orMissing(() => readFile(pathOf(directory, name)));
  // A file that is missing is none; a store that is missing is away.
  if (bytes === undefined) await stat(directory);
  return bytes;
};

const removeDurably = async (directory: string, name: string) => {
  await rm(pathOf(directory, name));
  await syncFolder(join(directory, folderOf(name)));
};

const foldersOf = async (directory: string): Promise<readonly string[]> => {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && /^[0-9a-f]{2}$/.test(entry.name)).map(({ name }) => name);
};

/** Undefined for what was removed meanwhile, and for what is not ours. */
const entryOf = async (directory: string, folder: string, name: string): Promise<MediaEntry | undefined> => {
  if (mediaTypeOf(name) === undefined || folderOf(name) !== folder) return undefined;
  const found = await orMissing(() => stat(pathOf(directory, name)));
  return found?.isFile() ? { name, storedAtMs: Math.floor(found.mtimeMs) } : undefined;
};

/** Removes what processes that crashed left unfinished. */
const removeLeftovers = async (incoming: string) => {
  const oldestMs = Date.now() - leftoverAgeMs;
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const found = await orMissing(() => stat(path));
    if (found && found.mtimeMs < oldestMs) await rm(path, { force: true });
  }
};
