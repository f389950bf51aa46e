import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openSqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { openDiskMedia } from '@waymark/media/disk/media.ts';
import { keysIn } from '@waymark/runtime/private-files.ts';
import { ownDataDirectory } from '../data-directory/data-directory.ts';
import { backUp } from './backup.ts';
import { BackupRefused } from './manifest.ts';
import { finishRestore, restoreBackup } from './restore.ts';

/** A restore opens the log in a thread, which may take long on a busy machine. */
jest.setTimeout(60_000);

const picture = `${'0'.repeat(32)}.png`;
const picturePath = `media/00/${picture}`;

let root: string;
let backup: string;
let target: string;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'waymark-restore-'));
  backup = join(root, 'safe', 'backup');
  target = join(root, 'data');
  const from = ownDataDirectory(join(root, 'from'));
  await (await openSqliteEventLog({ file: from.log })).close();
  keysIn(from.keys);
  await openDiskMedia({ directory: from.media }).put(picture, Buffer.from('picture'));
  // Not a file of Waymark.
  writeFileSync(join(from.media, 'notes.txt'), 'mine');
  await backUp(from, backup);
  from.release();
});
afterEach(() => rmSync(root, { recursive: true }));

const manifest = () => JSON.parse(readFileSync(join(backup, 'backup.json'), 'utf8'));

/** Adds a file to the manifest of the backup, with the digest of that file. */
const name = (path: string, content = 'forged'): void => {
  const files = { ...manifest().files, [path]: hash('sha256', content, 'hex') };
  writeFileSync(join(backup, 'backup.json'), JSON.stringify({ ...manifest(), files }));
};

describe('a backup', () => {
  it('holds the log, the keys and the files, and no other file', () => {
    expect(Object.keys(manifest().files).sort()).toEqual(['keys.json', 'log.db', picturePath]);
  });

  it('has the names of erased files, and a restore brings them back', async () => {
    const from = ownDataDirectory(join(root, 'from'));
    await openDiskMedia({ directory: from.media }).erase(picture);
    await backUp(from, join(root, 'second'));
    from.release();
    await restoreBackup(join(root, 'second'), target);
    expect(await openDiskMedia({ directory: join(target, 'media') }).get(picture)).toBe('erased');
  });

  it('is restored into files that only their owner can read, whatever their modes in the backup', async () => {
    for (const path of ['log.db', 'keys.json', picturePath]) chmodSync(join(backup, path), 0o666);
    await restoreBackup(backup, target);
    expect(readdirSync(target).filter((entry) => entry.startsWith('rest'))).toEqual([]);
    for (const path of ['log.db', 'keys.json', picturePath]) expect(statSync(join(target, path)).mode & 0o777).toBe(0o600);
  });
});

describe('a backup whose manifest is wrong', () => {
  it.each([
    '../../victim',
    '../victim',
    'media/../../victim',
    `media/00/../../../${picture}`,
    'media/00/..\\..\\victim',
    'tokens.db',
    'log.db-wal',
    'read-models/current',
    'media/notes.txt',
    `media/11/${picture}`,
    `media/${picture}`,
    'media/incoming/file',
    '',
    'kept-in',
  ])('is refused without writing a file if its manifest names %s', async (path) => {
    const victim = join(backup, path);
    if (!existsSync(victim)) {
      mkdirSync(dirname(victim), { recursive: true });
      writeFileSync(victim, 'forged');
    }
    name(path);
    await expect(restoreBackup(backup, target)).rejects.toThrow(BackupRefused);
    expect(existsSync(target)).toBe(false);
    expect(existsSync(join(root, 'victim'))).toBe(path === '../../victim');
  });

  it('is refused if its manifest names an absolute path', async () => {
    writeFileSync(join(root, 'victim'), 'forged');
    name(join(root, 'victim'));
    await expect(restoreBackup(backup, target)).rejects.toThrow('which cannot be part of a backup');
  });

  it.each(['log.db', 'keys.json'])('is refused if its manifest does not name %s', async (path) => {
    const { [path]: _, ...files } = manifest().files;
    writeFileSync(join(backup, 'backup.json'), JSON.stringify({ ...manifest(), files }));
    await expect(restoreBackup(backup, target)).rejects.toThrow('does not hold a complete backup');
  });

  it.each([null, [], 'text', { files: { 'log.db': 1 } }])('is refused if its manifest has another structure: %j', async (value) => {
    writeFileSync(join(backup, 'backup.json'), JSON.stringify(value));
    await expect(restoreBackup(backup, target)).rejects.toThrow('does not hold a complete backup');
  });
});

describe('a backup that contains links', () => {
  const moveOut = (path: string): string => {
    const outside = join(root, 'outside');
    execFileSync('mv', [join(backup, path), outside]);
    return outside;
  };

  it.each(['log.db', 'keys.json', picturePath, 'media', 'media/00', 'backup.json'])('is refused if this is a link: %s', async (path) => {
    symlinkSync(moveOut(path), join(backup, path));
    await expect(restoreBackup(backup, target)).rejects.toThrow(BackupRefused);
    expect(existsSync(target)).toBe(false);
  });

  it('is refused at once if it contains a pipe', async () => {
    moveOut('keys.json');
    execFileSync('mkfifo', [join(backup, 'keys.json')]);
    await expect(restoreBackup(backup, target)).rejects.toThrow('keys.json differs from the file that was backed up');
  });
});

describe('a restore by release 0.1.0 that was killed while it removed its last directory', () => {
  it.each<readonly [string, (ready: string) => void]>([
    ['after the removal of the name of the kept directory', () => undefined],
    ['before it', (ready) => writeFileSync(join(ready, 'kept-in'), 'replaced-2026-05-01T12-00-00-000Z\n')],
  ])('is completed: %s', async (_, leave) => {
    await restoreBackup(backup, target);
    const before = readdirSync(target);
    const ready = join(target, 'restored');
    mkdirSync(ready);
    leave(ready);
    writeFileSync(join(target, 'tokens.db'), 'of the restored log');
    const directory = ownDataDirectory(target);
    await finishRestore(directory);
    directory.release();
    expect(readdirSync(target).sort()).toEqual([...before, 'tokens.db'].sort());
    expect((await restoreBackup(backup, target)).keptIn).toContain('replaced-');
  });
});
