import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmdirSync, type Stats, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { makeDirectory } from '@waymark/files/durable.ts';
import { removeIncoming } from '@waymark/files/private.ts';
import { lockDirectory } from './lock.ts';

/** The data directory is not private to this process, or its file system cannot keep it. The message names the change to make. */
export class DirectoryRefused extends Error {}

/** A directory that this process owns until it releases it, or dies. */
export type OwnedDirectory = { readonly path: string; readonly release: () => void };

/** The user and the groups that a process runs as. */
export type Identity = { readonly uid: number; readonly groups: readonly number[] };

type Warn = (warning: string) => void;

/** Creates the data directory if it is missing, checks that other users cannot write to it and that it is not on NFS, and locks it.
 * @throws DirectoryRefused, DirectoryInUse */
export const ownDirectory = (named: string, warn: Warn, identity = ownIdentity()): OwnedDirectory => {
  const path = privateDirectory(named, warn, identity);
  const release = lockDirectory(path);
  removeIncoming(path);
  return { path, release };
};

/** Returns the directory of an installation's files, for the directory that a setting names. In a volume that root owns and a group may
 * write to, it is a directory of the installation's own; otherwise it is the named directory itself. */
export const locateDirectory = (named: string, identity = ownIdentity()): string => {
  const path = resolve(named);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || !isVolume(found) || holdsInstallation(path)) return path;
  const own = join(path, ownName);
  return existsSync(own) || mayWrite(found, identity) ? own : path;
};

const ownName = 'waymark';

const ownIdentity = (): Identity => ({
  uid: process.geteuid?.() ?? 0,
  groups: [...(process.getgroups?.() ?? []), process.getegid?.() ?? 0],
});

/** Returns whether a directory is a mounted volume, as containers get it: root owns it, and a group may write to it. */
const isVolume = (found: Stats): boolean =>
  process.platform !== 'win32' && found.isDirectory() && found.uid === 0 && (found.mode & 0o022) === 0o020;

const mayWrite = ({ gid }: Stats, { uid, groups }: Identity): boolean => uid !== 0 && groups.includes(gid);

/** Returns whether a directory holds a log, or one that is being restored, or cannot be looked into. */
export const holdsLog = (path: string): boolean => ['log.db', 'restored'].some((name) => mayExist(join(path, name)));

const holdsInstallation = (path: string): boolean => holdsLog(path) || mayExist(join(path, 'keys.json'));

const mayExist = (file: string): boolean => {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
};

const privateDirectory = (named: string, warn: Warn, identity: Identity): string => {
  const volume = resolve(named);
  const path = locateDirectory(named, identity);
  refuseNfs(path);
  if (path === volume) warnOfVolume(path, warn, identity);
  else if (!existsSync(path)) refuseUnlessEmpty(volume);
  if (makeDirectory(path)) checkCreated(path, warn);
  else checkFound(path, warn, identity);
  return path;
};

/** The type of NFS, as Linux's statfs reports it. */
const nfsType = 0x6969;

/** SQLite's write-ahead log needs memory that its processes share, and locks that end with their process. NFS gives neither. */
const refuseNfs = (path: string): void => {
  let present = path;
  while (!existsSync(present) && dirname(present) !== present) present = dirname(present);
  if (process.platform !== 'linux' || statfsSync(present).type !== nfsType) return;
  throw new DirectoryRefused(
    `${path} is on NFS, on which SQLite's locks and shared memory do not work: data would be lost. Set WAYMARK_DATA_DIR to a directory on a local or block-storage file system.`,
  );
};

const warnOfVolume = (path: string, warn: Warn, identity: Identity): void => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && isVolume(found) && mayWrite(found, identity)) {
    warn(`${path} belongs to root, and a group can write to it: other members of the group can replace Waymark's files.`);
  }
};

const refuseUnlessEmpty = (volume: string): void => {
  const otherFiles = readdirSync(volume).filter((name) => name !== 'lost+found');
  if (otherFiles.length === 0) return;
  throw new DirectoryRefused(
    `${volume} belongs to root and holds files that are not Waymark's (${otherFiles[0]}). Set WAYMARK_DATA_DIR to a directory of Waymark's own.`,
  );
};

const checkCreated = (path: string, warn: Warn): void => {
  if (process.platform === 'win32') warn(notChecked(path, 'Windows keeps no modes'));
  else if ((statSync(path).mode & 0o777) !== 0o700) warn(notChecked(path, 'its file system keeps no modes'));
};

const notChecked = (path: string, reason: string): string => `${path} may be open to other users: ${reason}.`;

const checkFound = (path: string, warn: Warn, identity: Identity): void => {
  const found = statSync(path);
  if (!found.isDirectory()) throw new DirectoryRefused(`${path} is not a directory.`);
  const fault = faultOf(path, found, identity);
  if (process.platform === 'win32') warn(notChecked(path, 'Windows keeps no modes'));
  else if (fault !== undefined && keepsModes(path)) throw new DirectoryRefused(fault);
  else if (fault !== undefined) warn(notChecked(path, 'its file system keeps no modes or owners'));
};

const faultOf = (path: string, { mode, uid }: Stats, identity: Identity): string | undefined => {
  if ((mode & 0o002) !== 0) {
    return `Every user can write to ${path}: run chmod o-w on it, or set WAYMARK_DATA_DIR to a directory of Waymark's own.`;
  }
  if (identity.uid === 0 || uid === 0 || uid === identity.uid) return undefined;
  return `${path} belongs to the user ${uid}, and Waymark runs as the user ${identity.uid}: run chown on it, or set WAYMARK_DATA_DIR to another directory.`;
};

/** Returns whether a directory that is created here keeps its mode and its owner. */
const keepsModes = (path: string): boolean => {
  const probe = join(path, `probe.${randomBytes(8).toString('hex')}`);
  try {
    mkdirSync(probe, { mode: 0o700 });
  } catch {
    return true; // not even a probe can be created, so nothing is known
  }
  const { mode, uid } = statSync(probe);
  rmdirSync(probe);
  return (mode & 0o777) === 0o700 && uid === process.geteuid?.();
};
