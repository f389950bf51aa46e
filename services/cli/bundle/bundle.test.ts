import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { digestOf, oldBundles, stampsOf } from './bundle.ts';

describe('The digest of a bundle', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-bundle-'));
  const write = (content: string): void => writeFileSync(join(folder, 'a.ts'), content);
  const digest = (libraries = 'libraries'): string | undefined => digestOf(libraries, ['a.ts'], folder);
  beforeEach(() => write('const a = 1;'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is the same for the same content', () => {
    const before = digest();
    write('const a = 1;');
    expect(digest()).toBe(before);
  });

  it('changes with the content of a file, also where size and time stay', () => {
    const before = digest();
    write('const a = 2;');
    expect(digest()).not.toBe(before);
  });

  it('changes with the libraries', () => expect(digest('others')).not.toBe(digest()));

  it('does not exist if a file was moved', () => {
    rmSync(join(folder, 'a.ts'));
    expect(digest()).toBeUndefined();
  });
});

describe('Old bundles', () => {
  const minutesAgo = (...minutes: readonly number[]) => minutes.map((ago) => ({ name: `${ago}`, changedMs: -ago * 60_000 }));

  it('are all but the last five, and those that another process may be making or loading', () => {
    expect(oldBundles(minutesAgo(70, 20, 30, 40, 50, 60), 0)).toEqual(['70']);
    expect(oldBundles(minutesAgo(70, 60, 7, 6, 5, 4, 3, 2, 1), 0)).toEqual(['60', '70']);
    expect(oldBundles(minutesAgo(99, 98, 97, 96, 95), 0)).toEqual([]);
  });
});

describe('The stamps of files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-stamps-'));
  const file = join(folder, 'a.ts');
  const stamps = (atMs: number) => {
    jest.useFakeTimers({ now: atMs });
    try {
      return stampsOf(['a.ts'], folder);
    } finally {
      jest.useRealTimers();
    }
  };
  const later = Date.now() + 60_000;
  /** More than the resolution of the clock of a file system. */
  const clockMs = 50;
  beforeEach(() => writeFileSync(file, 'const a = 1;'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('are the same while the file is not changed', () => expect(stamps(later)).toEqual(stamps(later)));

  it('change with the file, also where content, size and time of change are set to what they were', async () => {
    utimesSync(file, 1, 1);
    const before = stamps(later);
    await pause(clockMs);
    writeFileSync(file, 'const a = 2;');
    utimesSync(file, 1, 1);
    expect(before).toHaveLength(1);
    expect(stamps(later)).not.toEqual(before);
  });

  it('do not exist for a file that has just changed, or that does not exist', () => {
    expect(stamps(Date.now())).toBeUndefined();
    expect(stampsOf(['b.ts'], folder)).toBeUndefined();
  });
});
