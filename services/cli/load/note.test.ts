import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Note, noteFile, readNote, resume, unstarted, writeNote } from './note.ts';

const directory = mkdtempSync(join(tmpdir(), 'waymark-note-'));
afterAll(() => rmSync(directory, { recursive: true }));

const noted: Note = {
  file: 'cities.ndjson',
  account: 'acme',
  application: '3f1c5a7e9b2d4f6081a3c5e7092b4d6f',
  incarnation: 'one',
  correlation: '0190a1c2-7b1e-7c3d-8a44-2f1e5d6c7b8a',
  changeset: true,
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

  it('gets a correlation, and has neither a changeset nor an application, if an earlier release saved it without them', async () => {
    const file = noteFile(directory, 'digest', 'earlier');
    const { correlation, changeset: _, application: __, ...earlier } = noted;
    writeFileSync(file, JSON.stringify(earlier));
    const note = await readNote(file);
    expect(note).toEqual({ ...earlier, changeset: false, correlation: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(note?.correlation).not.toBe(correlation);
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
