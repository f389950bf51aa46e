import { closeSync, fsyncSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { makeDirectory, syncDirectory } from '@waymark/files/durable.ts';
import { createExclusively, incomingName } from '@waymark/files/private.ts';
import { type FilePath, noteBytesMax, type WriteOnceFiles } from '../files.ts';
import { PlaceUnavailable } from '../place.ts';

/** Files below a directory, which must exist: a directory that is missing may be a disk that is not mounted.
 * @param directory an absolute path */
export const filesOnDisk = (directory: string): WriteOnceFiles => {
  if (!isAbsolute(directory)) throw new RangeError('The directory of checkpoints must be an absolute path.');
  return {
    read: async (path) => reachable(directory, () => readBounded(directory, path)),
    write: async (path, text) => reachable(directory, () => writeOnce(directory, path, text)),
    close: () => undefined,
  };
};

const reachable = <Result>(directory: string, work: () => Result): Result => {
  try {
    if (statSync(directory).isDirectory()) return work();
  } catch (error) {
    throw new PlaceUnavailable(`The directory ${directory} cannot be used: ${codeOf(error)}.`, { cause: error });
  }
  throw new PlaceUnavailable(`${directory} is no directory.`);
};

const readBounded = (directory: string, { folder, file }: FilePath): string | undefined => {
  const path = join(directory, folder, file);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isFile() || found.size > noteBytesMax) throw new Error(`${path} is no checkpoint.`);
  return readFileSync(path, 'utf8');
};

/** Links the file, because a rename would replace an existing one. */
const writeOnce = (directory: string, { folder, file }: FilePath, text: string): void => {
  const path = join(directory, folder);
  makeDirectory(path);
  const incoming = incomingName(join(path, file));
  try {
    writeSynced(incoming, text);
    linkSync(incoming, join(path, file));
    syncDirectory(path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(incoming, { force: true });
  }
};

const writeSynced = (path: string, text: string): void => {
  const handle = createExclusively(path);
  try {
    writeFileSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code ?? (error as Error).message);
