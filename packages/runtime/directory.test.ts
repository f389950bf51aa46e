import files, { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DirectoryRefused, type Identity, locateDirectory, ownDirectory } from './directory.ts';

const asRoot = process.getuid?.() === 0 ? describe : describe.skip;
const own: Identity = { uid: process.geteuid?.() ?? 0, groups: [] };
const someUser: Identity = { uid: 12_345, groups: [23_456] };

let root: string;
let path: string;
let warnings: string[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'waymark-directory-'));
  path = join(root, 'data');
  warnings = [];
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(root, { recursive: true });
});

/** Owns the directory, and releases it again.
 * @returns its path */
const owned = (identity = own): string => {
  const directory = ownDirectory(path, (warning) => warnings.push(warning), identity);
  directory.release();
  return directory.path;
};

const make = (mode: number, uid?: number, gid?: number): void => {
  mkdirSync(path);
  if (uid !== undefined) chownSync(path, uid, gid ?? uid);
  chmodSync(path, mode);
};

/** From now on, directories report this mode, as on a file system without modes. */
const withoutModes = (mode: number): void => {
  const { statSync: stat } = files;
  jest.spyOn(files, 'statSync').mockImplementation((...parameters: Parameters<typeof stat>) => {
    const found = stat(...parameters);
    if (found?.isDirectory()) Object.assign(found, { mode: 0o40_000 | mode });
    return found;
  });
};

describe('a data directory', () => {
  it('is created for its owner only', () => {
    expect(owned()).toBe(path);
    expect([statSync(path).mode & 0o777, warnings]).toEqual([0o700, []]);
  });

  it.each([0o700, 0o755, 0o750, 0o775])('of its owner is used unchanged if others cannot write to it (mode %o)', (mode) => {
    make(mode);
    expect([owned(), statSync(path).mode & 0o777, warnings]).toEqual([path, mode, []]);
  });

  it.each([0o777, 0o702, 0o1777])('is refused if every user can write to it (mode %o), and nothing is left in it', (mode) => {
    make(mode);
    expect(() => owned()).toThrow(DirectoryRefused);
    expect(() => owned()).toThrow(`Every user can write to ${path}`);
    expect(readdirSync(path)).toEqual([]);
  });

  it('is refused if it is a file', () => {
    writeFileSync(path, '');
    expect(() => owned()).toThrow(`${path} is not a directory`);
  });

  it('is freed of files that a crash left incomplete', () => {
    make(0o700);
    writeFileSync(join(path, 'keys.json.0123456789abcdef.incoming'), 'half a secret');
    owned();
    expect(readdirSync(path)).toEqual(['lock.db']);
  });
});

describe('a file system that keeps no modes', () => {
  it('causes a warning, at the first start and at later ones', () => {
    withoutModes(0o777);
    expect(owned()).toBe(path);
    expect(warnings).toEqual([expect.stringContaining('keeps no modes')]);
    expect(owned()).toBe(path);
    expect(warnings).toHaveLength(2);
    expect(readdirSync(path)).toEqual(['lock.db']);
  });
});

describe('a directory on NFS', () => {
  const withType = (type: number, of = (_directory: string): boolean => true): void => {
    const { statfsSync: stat } = files;
    const typed = (directory: string) => Object.assign(stat(directory), of(directory) ? { type } : {});
    jest.spyOn(files, 'statfsSync').mockImplementation(typed as typeof stat);
  };

  it('is refused with the reason, and nothing is created or left in it', () => {
    withType(0x6969);
    expect(() => owned()).toThrow(DirectoryRefused);
    expect(() => owned()).toThrow(`${path} is on NFS`);
    expect(existsSync(path)).toBe(false);
    make(0o700);
    expect(() => owned()).toThrow('Set WAYMARK_DATA_DIR');
    expect(readdirSync(path)).toEqual([]);
  });

  it('is recognised by the directory itself, not by the one above it', () => {
    make(0o700);
    withType(0x6969, (directory) => directory === path);
    expect(() => owned()).toThrow('is on NFS');
    jest.restoreAllMocks();
    withType(0x6969, (directory) => directory === root);
    expect(owned()).toBe(path);
  });

  it.each([
    ['ext4', 0xef53],
    ['xfs', 0x58465342],
    ['btrfs', 0x9123683e],
    ['overlayfs', 0x794c7630],
    ['tmpfs', 0x01021994],
  ])('is not what %s is', (_, type) => {
    withType(type);
    expect(owned()).toBe(path);
  });
});

asRoot('a data directory of another user (needs root)', () => {
  it('is refused', () => {
    make(0o700, 54_321);
    expect(() => owned(someUser)).toThrow(`${path} belongs to the user 54321, and Waymark runs as the user 12345`);
  });

  it('is used by root', () => {
    make(0o700, 54_321);
    expect([owned({ uid: 0, groups: [0] }), warnings]).toEqual([path, []]);
  });

  it('is used if that user is root', () => {
    make(0o755, 0);
    expect([owned(someUser), warnings]).toEqual([path, []]);
  });
});

asRoot('a volume that root owns and a group can write to (needs root)', () => {
  beforeEach(() => make(0o2775, 0, someUser.groups[0]));
  const inner = () => join(path, 'waymark');

  it('gets a directory for the installation alone, which later starts and commands find', () => {
    mkdirSync(join(path, 'lost+found'));
    expect([owned(someUser), warnings]).toEqual([inner(), []]);
    expect(statSync(inner()).mode & 0o777).toBe(0o700);
    writeFileSync(join(inner(), 'log.db'), '');
    writeFileSync(join(path, 'later'), '');
    expect([owned(someUser), locateDirectory(path, someUser)]).toEqual([inner(), inner()]);
    expect(locateDirectory(path, { uid: 0, groups: [0] })).toBe(inner());
  });

  it.each(['log.db', 'keys.json'])('is used unchanged, with a warning, if it already holds %s', (name) => {
    writeFileSync(join(path, name), '');
    expect(owned(someUser)).toBe(path);
    expect(warnings).toEqual([expect.stringContaining('other members of the group')]);
    expect(existsSync(inner())).toBe(false);
  });

  it('is refused if it holds anything else', () => {
    writeFileSync(join(path, 'letter.txt'), '');
    expect(() => owned(someUser)).toThrow('letter.txt');
    expect(readdirSync(path)).toEqual(['letter.txt']);
  });

  it('is refused if every user can write to it', () => {
    chmodSync(path, 0o2777);
    expect(() => owned(someUser)).toThrow(`Every user can write to ${path}`);
  });

  it('is refused if its inner directory is not private', () => {
    mkdirSync(inner());
    chmodSync(inner(), 0o777);
    expect(() => owned(someUser)).toThrow(`Every user can write to ${inner()}`);
  });
});

describe('a data directory on Windows', () => {
  it('is used with only a warning', () => {
    make(0o777);
    const platform = Object.getOwnPropertyDescriptor(process, 'platform') ?? {};
    Object.defineProperty(process, 'platform', { ...platform, value: 'win32' });
    expect(owned()).toBe(path);
    Object.defineProperty(process, 'platform', platform);
    expect(warnings).toEqual([expect.stringContaining('Windows')]);
  });
});
