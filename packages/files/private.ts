import { randomBytes } from 'node:crypto';
import { closeSync, constants, fsyncSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { moveDurably } from './durable.ts';

/** The umask of a process: everything that it creates is for its owner only. */
export const privateUmask = 0o077;

/** Creates or replaces a file that only its owner can read. It is written completely or not at all, and is on the disk when this returns.
 * @throws the file system's error; the file is then as before */
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

/** Returns a name beside a file that no other process can guess, so that none can have put a file or a link there. */
export const incomingName = (file: string): string => `${file}.${randomBytes(randomOctets).toString('hex')}.incoming`;

const randomOctets = 8;

/** Creates a file and opens it. Fails where anything has the name, and therefore follows no link. */
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

/** Removes the incomplete files that crashes left. No other process may write to the directory at that time. */
export const removeIncoming = (directory: string): void => {
  for (const name of readdirSync(directory)) if (incomingPattern.test(name)) rmSync(join(directory, name), { force: true });
};

/** The names of incomplete files, including those that v0.1.0 gave. */
const incomingPattern = /^[\w.-]+?(\.[0-9a-f]{16})?\.incoming$/;
