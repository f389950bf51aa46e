import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestOf } from './bundle.ts';

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
