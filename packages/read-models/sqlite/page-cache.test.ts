import { temporaryFiles } from '../testing/temporary-files.ts';
import { openReader, openWriter } from './open.ts';
import { heldCharacters, pageCache } from './page-cache.ts';

const mebibyte = 1_024 * 1_024;
const newFile = temporaryFiles();

describe("SQLite's page caches", () => {
  it.each([
    [64, 2],
    [128, 4],
    [512, 16],
    [65_536, 16],
  ])('are shares of the memory of a process: with %i MiB a connection has %i', (memory, cache) => {
    const file = newFile();
    const expected = -cache * 1_024;
    const writer = openWriter(file, memory * mebibyte);
    const reader = openReader(file, memory * mebibyte);
    expect([writer, reader].map((db) => db.pragma('cache_size', { simple: true }))).toEqual([expected, expected]);
    writer.close();
    reader.close();
  });

  it.each([
    [64, 4],
    [512, 32],
    [65_536, 64],
  ])('are shares of the memory of a process: with %i MiB a rebuild has %i', (memory, cache) => {
    expect(pageCache('rebuild', memory * mebibyte)).toBe(`cache_size = -${cache * 1_024}`);
  });

  it('are small where a connection is opened for a single query', () => {
    const file = newFile();
    openWriter(file).close();
    const reader = openReader(file);
    expect(reader.pragma('cache_size', { simple: true })).toBe(-2 * 1_024);
    reader.close();
  });
});

it('A rebuild buffers changes in a share of the memory of a process', () => {
  expect([64, 512, 65_536].map((memory) => heldCharacters(memory * mebibyte) / mebibyte)).toEqual([2, 16, 48]);
});
