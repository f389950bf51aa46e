import { execFileSync } from 'node:child_process';
import files, { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDirectory, moveDurably, syncDirectory } from './durable.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'waymark-durable-'));
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(root, { recursive: true });
});

/** Returns the renames and syncs of some work, in their order, by path. */
const changesOf = (work: () => void): readonly string[] => {
  const changes: string[] = [];
  const paths = new Map<number, string>();
  const { openSync, fsyncSync, renameSync } = files;
  jest.spyOn(files, 'openSync').mockImplementation((path, ...rest) => {
    const handle = openSync(path, ...rest);
    paths.set(handle, String(path));
    return handle;
  });
  jest.spyOn(files, 'fsyncSync').mockImplementation((handle) => {
    changes.push(`sync ${paths.get(handle)?.slice(root.length)}`);
    fsyncSync(handle);
  });
  jest.spyOn(files, 'renameSync').mockImplementation((from, to) => {
    changes.push(`rename ${String(to).slice(root.length)}`);
    renameSync(from, to);
  });
  work();
  return changes;
};

const failingSync = (code: string): void => {
  jest.spyOn(files, 'fsyncSync').mockImplementation(() => {
    throw Object.assign(new Error(code), { code });
  });
};

describe('a rename', () => {
  it('is followed by a sync of the directory', () => {
    writeFileSync(join(root, 'one'), '1');
    expect(changesOf(() => moveDurably(join(root, 'one'), join(root, 'two')))).toEqual(['rename /two', 'sync ']);
    expect(readFileSync(join(root, 'two'), 'utf8')).toBe('1');
  });

  it('into another directory is followed by a sync of both, the new name first', () => {
    mkdirSync(join(root, 'in'));
    writeFileSync(join(root, 'one'), '1');
    expect(changesOf(() => moveDurably(join(root, 'one'), join(root, 'in', 'two')))).toEqual(['rename /in/two', 'sync /in', 'sync ']);
  });

  it('is called nowhere else in the product', () => {
    const repository = join(import.meta.dirname, '../..');
    const sources = execFileSync('git', ['grep', '-lE', String.raw`\brename(Sync)?\(`, '--', 'packages', 'services', 'deploy'], {
      cwd: repository,
    });
    const product = sources
      .toString()
      .split('\n')
      .filter((path) => path !== '' && !/[.]test[.]ts$/.test(path));
    // The bootstrap imports no module, and its lock has no meaning after a power failure. A bundle that is lost is made again.
    expect(product).toEqual(['packages/files/durable.ts', 'services/cli/bundle/bundle.ts', 'services/cli/install-lock.cjs']);
  });
});

describe('the sync of a directory', () => {
  it('is skipped where the file system offers none, and fails where the disk fails', () => {
    failingSync('EINVAL');
    syncDirectory(root);
    failingSync('EIO');
    expect(() => syncDirectory(root)).toThrow('EIO');
  });
});

describe('a new directory', () => {
  it('is for its owner only and on the disk, and so is each directory created above it', () => {
    const changes = changesOf(() => expect(makeDirectory(join(root, 'a', 'b'))).toBe(true));
    expect(changes).toEqual(['sync ', 'sync /a']);
    expect([statSync(join(root, 'a')).mode & 0o777, statSync(join(root, 'a', 'b')).mode & 0o777]).toEqual([0o700, 0o700]);
    expect(makeDirectory(join(root, 'a'))).toBe(false);
  });

  it('is not created where none can be created', () => {
    if (existsSync('/proc')) expect(() => makeDirectory('/proc/nope/directory')).toThrow();
  });
});
