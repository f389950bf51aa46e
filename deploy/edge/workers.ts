import { chownSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The user that nginx's workers run as. */
export type User = { readonly name: string; readonly group: string; readonly uid: number; readonly gid: number };

const names = ['www-data', 'nobody'] as const;

/** Returns the workers' user where root starts nginx: `www-data`, else `nobody`. Returns undefined where another user starts nginx: the
 * workers then keep that user's rights.
 * @throws where neither user exists: the workers never run as root */
export const workersUser = (): User | undefined =>
  process.getuid?.() === 0 ? unprivilegedUser(readFileSync('/etc/passwd', 'utf8'), readFileSync('/etc/group', 'utf8')) : undefined;

/** Returns the workers' user from the text of a machine's user and group files.
 * @throws where the machine has no user that the workers may run as */
export const unprivilegedUser = (passwd: string, groups: string): User => {
  const user = names.map((name) => userNamed(name, passwd, groups)).find((found) => found !== undefined);
  if (user === undefined) throw new Error(`nginx's workers must run as ${names.join(' or ')}, but this machine has neither user.`);
  return user;
};

/** Creates a directory for the workers' files. It belongs to the workers alone, and they may enter every directory above it. */
export const makeWorkersDirectory = (): string => giveToWorkers(mkdtempSync(join(tmpdir(), 'waymark-edge-')));

/** Makes a directory the workers' own, and returns its path. */
export const giveToWorkers = (directory: string): string => {
  const user = workersUser();
  if (user !== undefined) chownSync(directory, user.uid, user.gid);
  return directory;
};

const userNamed = (name: string, passwd: string, groups: string): User | undefined => {
  const [, , uid, gid] = entriesOf(passwd).find(([found]) => found === name) ?? [];
  const [group] = entriesOf(groups).find(([, , id]) => id === gid) ?? [];
  return uid === undefined || gid === undefined || group === undefined ? undefined : { name, group, uid: Number(uid), gid: Number(gid) };
};

const entriesOf = (text: string): readonly (readonly string[])[] => text.split('\n').map((line) => line.split(':'));
