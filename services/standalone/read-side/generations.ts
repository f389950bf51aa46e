import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { writePrivate } from '@waymark/files/private.ts';
import { dropFile } from '../data-directory/data-directory.ts';

/** The names of the files of the read models. A pointer names the current file; a rebuild fills the next one. */
const pattern = /^(\d+)\.db$/;

/** Returns the current file. It may be missing: the read models can be rebuilt from the log. */
export const currentFile = (directory: string): string => {
  const name = nameIn(join(directory, 'current'));
  return join(directory, pattern.test(name) ? name : '1.db');
};

const nameIn = (pointer: string): string => (existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : '');

/** Returns the file with this number. */
export const fileOf = (directory: string, number: number): string => join(directory, `${number}.db`);

/** Returns the number of a file. */
export const numberOf = (file: string): number => Number(pattern.exec(basename(file))?.[1]);

/** Returns a file name that is not in use. */
export const nextFile = (directory: string): string => {
  const used = readdirSync(directory).flatMap((name) => Number(/^(\d+)\.db/.exec(name)?.[1] ?? 0));
  return fileOf(directory, Math.max(0, ...used) + 1);
};

export const makeCurrent = (directory: string, file: string): void =>
  writePrivate(join(directory, 'current'), file.slice(directory.length + 1));

/** Makes a file the current one that the log has yet to fill. */
export const makeCurrentToFill = (directory: string, file: string): void => {
  writePrivate(fillingPointer(directory), basename(file));
  makeCurrent(directory, file);
};

/** Returns whether the log has not filled the current file yet, also if an earlier process began it: readers would miss objects in it. */
export const isFilling = (directory: string): boolean => nameIn(fillingPointer(directory)) === basename(currentFile(directory));

export const noteFilled = (directory: string): void => rmSync(fillingPointer(directory), { force: true });

const fillingPointer = (directory: string): string => join(directory, 'filling');

/** Removes every file except the current one, also a companion file whose file is gone. */
export const dropOthers = (directory: string): void => {
  const current = currentFile(directory);
  for (const name of readdirSync(directory)) {
    const file = join(directory, name.replace(/-(wal|shm)$/, ''));
    if (pattern.test(basename(file)) && file !== current) dropFile(file);
  }
};
