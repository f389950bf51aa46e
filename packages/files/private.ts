import { randomBytes } from 'node:crypto';
import { closeSync, constants, fsyncSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { moveDurably } from './durable.ts';

/** Nothing that a process creates is for anybody but its owner. */
export const privateUmask = 0o077;

/** Creates a file, or replaces one, that only its owner can read: whole or not at all, and on the disk when this returns.
 * @throws the file system's error; then the file is as before */
export const writePrivate = (file: string, text: string): void => {
  const incoming = incomingName(file);
  try {
    writeSynced(incoming, text);
    moveDurably(incoming, file);
  } catch (error) {
    rmSync(incoming, { force: true });
    throw error;
  }
};

/** A name beside a file that nobody can guess: no other process can have put a file or a link there. */
export const incomingName = (file: string): string => `${file}.${randomBytes(randomOctets).toString('hex')}.incoming`;

const randomOctets = 8;

/** Fails where there is anything under the name, and so follows no link. */
export const createExclusively = (file: string): number => openSync(file, exclusive, 0o600);

const exclusive = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

const writeSynced = (file: string, text: string): void => {
  const handle = createExclusively(file);
  try {
    writeFileSync(handle, text.endsWith('\n') ? text : `${text}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};

/** Removes the files that crashes cut off. No other process may write to the directory at that time. */
export const removeIncoming = (directory: string): void => {
  for (const name of readdirSync(directory)) if (incomingPattern.test(name)) rmSync(join(directory, name), { force: true });
};

/** As v0.1.0 named them, too. */
const incomingPattern = /^[\w.-]+?(\.[0-9a-f]{16})?\.incoming$/;
