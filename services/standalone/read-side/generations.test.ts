import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { currentFile, dropOthers, makeCurrent, nextFile } from './generations.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waymark-generations-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

const file = (name: string): string => join(directory, name);
const put = (...names: readonly string[]): void => {
  for (const name of names) writeFileSync(file(name), '');
};

describe('the files of the read models', () => {
  it('start with the first one', () => {
    expect(currentFile(directory)).toBe(file('1.db'));
    expect(nextFile(directory)).toBe(file('1.db'));
  });

  it('have a current one by its name, whichever other files exist', () => {
    put('1.db', '2.db', '12.db');
    expect(currentFile(directory)).toBe(file('1.db'));
    makeCurrent(directory, file('12.db'));
    expect(currentFile(directory)).toBe(file('12.db'));
    expect(readFileSync(file('current'), 'utf8').trim()).toBe('12.db');
  });

  it.each(['', '../1.db', '2.db-wal', 'x2.db', '2', '2.db/../../log.db'])('are not selected by the invalid name %p', (name) => {
    put('2.db');
    writeFileSync(file('current'), name);
    expect(currentFile(directory)).toBe(file('1.db'));
  });

  it('have a next name that no existing file uses, not even a companion file', () => {
    put('1.db', '3.db', '7.db-wal', 'current', '99.txt', 'x100.db');
    expect(nextFile(directory)).toBe(file('8.db'));
  });

  it('are removed with their companion files, except for the current one and unrelated files', () => {
    put('1.db', '1.db-wal', '1.db-shm', '2.db', '2.db-wal', '3.db', 'notes.txt', 'x4.db', '5.db.old', '6.db-wal');
    makeCurrent(directory, file('2.db'));
    dropOthers(directory);
    expect(readdirSync(directory).sort()).toEqual(['2.db', '2.db-wal', '5.db.old', 'current', 'notes.txt', 'x4.db']);
  });
});
