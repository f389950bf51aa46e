import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Note, noteFile, readNote, resume, unstarted, writeNote } from './note.ts';

const directory = mkdtempSync(join(tmpdir(), 'waymark-note-'));
afterAll(() => rmSync(directory, { recursive: true }));

const noted: Note = {
  file: 'cities.ndjson',
  account: 'acme',
  incarnation: 'one',
  row: 12,
  end: 600,
  created: 10,
  refused: 2,
  notedAt: '2026-05-01T12:00:00.000Z',
  open: true,
};
const hoursLater = (hours: number): number => Date.parse(noted.notedAt) + hours * 3_600_000;

describe('the saved progress of a load', () => {
  it('is read back as it was written, and only its owner can read it', async () => {
    const file = noteFile(directory, 'digest', 'acme');
    expect(await readNote(file)).toBeUndefined();
    writeNote(file, noted);
    expect(await readNote(file)).toEqual(noted);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('belongs to one file and one account', () => {
    const files = [noteFile('', 'a', 'acme'), noteFile('', 'b', 'acme'), noteFile('', 'a', 'other')];
    expect(new Set(files).size).toBe(3);
  });
});

describe('resuming a load', () => {
  const start = (note: Note | undefined, incarnation = 'one', nowMs = hoursLater(1)) => resume(note, 'note.json', incarnation, nowMs);

  it('starts at the first row where no progress is saved', () => {
    expect(start(undefined)).toEqual(unstarted);
  });

  it('starts after the mark', () => {
    expect(start(noted)).toEqual({ row: 12, end: 600, created: 10, refused: 2 });
  });

  it('is refused where a restored installation may lack rows that were loaded', () => {
    expect(() => start(noted, 'two')).toThrow('restored from a backup');
  });

  it('is refused where the load was interrupted so long ago that a row might be created twice', () => {
    expect(() => start(noted, 'one', hoursLater(24))).toThrow('interrupted more than a day ago');
    expect(start({ ...noted, open: false }, 'one', hoursLater(24)).row).toBe(12);
  });
});
