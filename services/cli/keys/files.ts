import { closeSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '@waymark/files/durable.ts';
import { createExclusively } from '@waymark/files/private.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import { orNotWritten } from '../terminal/named-files.ts';
import { type InstallationKeys, keyNames } from './keys.ts';

/** Writes each key to a file of its name that only its owner can read. Creates the directory if it is missing.
 * @returns the paths of the files
 * @throws CommandFailed where a file exists: nothing is written then; where the directory cannot be written to */
export const writeKeyFiles = (directory: string, keys: InstallationKeys): readonly string[] => {
  const files = keyNames.map((name) => join(directory, name));
  for (const file of files) if (existsSync(file)) throw existing(file);
  orNotWritten(directory, () => makeDirectory(directory));
  for (const name of keyNames) writeNewFile(join(directory, name), keys[name]);
  return files;
};

/** Writes a file that only its owner can read.
 * @throws CommandFailed where it exists */
export const writeNewFile = (file: string, text: string): void => {
  const handle = createdFile(file);
  try {
    writeFileSync(handle, `${text}\n`);
  } finally {
    closeSync(handle);
  }
};

const createdFile = (file: string): number =>
  orNotWritten(file, () => {
    try {
      return createExclusively(file);
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? existing(file, error) : error;
    }
  });

const existing = (file: string, cause?: unknown): CommandFailed =>
  new CommandFailed('refused', `${file} exists, and is not overwritten.`, { cause });
