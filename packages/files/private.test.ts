import files, { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createExclusively, incomingName, removeIncoming, writePrivate } from './private.ts';

let root: string;
let file: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'waymark-private-'));
  file = join(root, 'keys.json');
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(root, { recursive: true });
});

describe('a private file', () => {
  it('is for its owner only, and is complete and synced before it gets its name', () => {
    const order: string[] = [];
    const { fsyncSync, renameSync } = files;
    jest.spyOn(files, 'fsyncSync').mockImplementation((handle) => {
      order.push('sync');
      fsyncSync(handle);
    });
    jest.spyOn(files, 'renameSync').mockImplementation((from, to) => {
      order.push(`rename ${readFileSync(from, 'utf8')}`);
      renameSync(from, to);
    });
    writePrivate(file, 'secret');
    expect(order).toEqual(['sync', 'rename secret\n', 'sync']);
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777, readdirSync(root)]).toEqual(['secret\n', 0o600, ['keys.json']]);
  });

  it('is written under a name that no other process can know before', () => {
    const names = Array.from({ length: 100 }, () => incomingName(file));
    expect(new Set(names).size).toBe(100);
    for (const name of names) expect(name).toMatch(/keys\.json\.[0-9a-f]{16}\.incoming$/);
  });

  it('replaces a link, and leaves the target of the link unchanged', () => {
    writeFileSync(join(root, 'victim'), 'mine');
    symlinkSync(join(root, 'victim'), file);
    // The name that v0.1.0 gave to an incomplete file.
    symlinkSync(join(root, 'victim'), `${file}.incoming`);
    writePrivate(file, 'secret');
    expect([readFileSync(join(root, 'victim'), 'utf8'), readFileSync(file, 'utf8')]).toEqual(['mine', 'secret\n']);
  });

  it('is not created where a file or a link exists already', () => {
    symlinkSync(join(root, 'nowhere'), file);
    expect(() => createExclusively(file)).toThrow('EEXIST');
    expect(readdirSync(root)).toEqual(['keys.json']);
  });

  it('is unchanged where a new one cannot be written, and nothing of the new one remains', () => {
    writePrivate(file, 'old');
    jest.spyOn(files, 'fsyncSync').mockImplementation(() => {
      throw new Error('the disk is full');
    });
    expect(() => writePrivate(file, 'new')).toThrow('full');
    expect([readFileSync(file, 'utf8'), readdirSync(root)]).toEqual(['old\n', ['keys.json']]);
  });
});

describe('files that a crash left incomplete', () => {
  it('are removed, and no others are', () => {
    writeFileSync(incomingName(file), 'half');
    writeFileSync(`${file}.incoming`, 'half');
    writeFileSync(join(root, 'incoming'), 'mine');
    mkdirSync(join(root, 'media'));
    removeIncoming(root);
    expect(readdirSync(root).sort()).toEqual(['incoming', 'media']);
  });
});
