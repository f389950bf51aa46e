import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NotRegular, openRegular } from './reading.ts';

let root: string;
let directory: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'waymark-reading-'));
  directory = join(root, 'backup');
  mkdirSync(join(directory, 'media'), { recursive: true });
  writeFileSync(join(directory, 'media', 'file'), 'content');
  writeFileSync(join(root, 'secret'), 'secret');
});
afterEach(() => rmSync(root, { recursive: true }));

const read = async (path: string): Promise<string> => {
  const handle = await openRegular(directory, path);
  return handle.readFile('utf8').finally(() => handle.close());
};

describe('a regular file', () => {
  it('is opened, even where a link leads to the directory itself', async () => {
    expect(await read('media/file')).toBe('content');
    symlinkSync(directory, join(root, 'link'));
    directory = join(root, 'link');
    expect(await read('media/file')).toBe('content');
  });

  it('that is missing is reported as missing', async () => {
    await expect(read('media/none')).rejects.toThrow('ENOENT');
  });
});

describe('a path that is not a regular file', () => {
  it.each<readonly [string, string, () => void]>([
    ['a link', 'media/link', () => symlinkSync(join(root, 'secret'), join(directory, 'media', 'link'))],
    ['a link that leads nowhere', 'media/link', () => symlinkSync(join(root, 'none'), join(directory, 'media', 'link'))],
    ['a file below a linked directory', 'linked/secret', () => symlinkSync(root, join(directory, 'linked'))],
    ['a directory', 'media', () => undefined],
    ['a pipe', 'pipe', () => execFileSync('mkfifo', [join(directory, 'pipe')])],
  ])('is refused: %s', async (_, path, make) => {
    make();
    await expect(read(path)).rejects.toThrow(NotRegular);
  });
});
