import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { recorded } from '@waymark/domain/testing/samples.ts';
import { createEventDigest, eventSum } from './digest.ts';
import { type ExportedFile, ExportRefused, exportFormat, type Manifest, manifestName } from './format.ts';
import { writeManifest } from './manifest.ts';
import { mediaPath, openExport } from './reader.ts';
import { createPartWriter } from './writer.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waymark-export-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const eventAt = (position: number, content = `{"name":"${position}"}`): RecordedEvent => ({
  ...recorded('PinpointEdited', 1, content),
  revision: position - 1,
  position,
});
const events = Array.from({ length: 10 }, (_, index) => eventAt(index + 1));
/** Texts with characters that other readers treat as a line end, and a text longer than the amount that is read at once. */
const hostile = [eventAt(11, '"\u2028\u2029\r\\n\u0085"'), eventAt(12, JSON.stringify('x'.repeat(300_000))), eventAt(13, '"ü😀"')];
const file = {
  name: 'ab12ab12ab12ab12ab12ab12ab12ab12.png',
  bytes: 3,
  sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
};

/** Writes an export with these parts.
 * @returns its manifest */
const written = (parts: readonly (readonly RecordedEvent[])[], files: readonly ExportedFile[] = []): Manifest => {
  const eventParts = createPartWriter(directory, 'events', []);
  const fileParts = createPartWriter(directory, 'files', []);
  for (const part of parts) {
    for (const event of part) eventParts.add(event);
    eventParts.finish();
  }
  for (const each of files) fileParts.add(each);
  const manifest: Manifest = {
    format: exportFormat,
    release: '0.0.0',
    incarnation: 'i',
    time: '2026-01-01T00:00:00.000Z',
    position: 13,
    final: false,
    events: { count: parts.flat().length, digest: '0'.repeat(64), forgotten: 0, streams: {}, parts: eventParts.finish() },
    files: { count: files.length, bytes: 0, missing: 0, parts: fileParts.finish() },
    ids: { pinpoint: 0, list: 0, category: 0, happening: 0 },
  };
  writeManifest(directory, manifest);
  return manifest;
};

const all = async <Value>(values: AsyncIterable<Value>): Promise<readonly Value[]> => {
  const found: Value[] = [];
  for await (const value of values) found.push(value);
  return found;
};

describe('an export', () => {
  it('returns what was written, in order, from any index on', async () => {
    written([events, hostile, []]);
    const { events: read } = await openExport(directory);
    const every = [...events, ...hostile];
    for (const from of [0, 3, 9, 10, 11, 13, 20]) expect(await all(read(from))).toEqual(every.slice(from));
  });

  it('lists its files, and those that were missing', async () => {
    const missing = { name: `0${file.name.slice(1)}`, bytes: null, sha256: null };
    written([], [file, missing]);
    mkdirSync(join(directory, 'media/ab'), { recursive: true });
    writeFileSync(join(directory, mediaPath(file.name)), 'abc');
    const { files, bytesOf } = await openExport(directory);
    expect(await all(files())).toEqual([file, missing]);
    expect(await all(files(1))).toEqual([missing]);
    expect((await bytesOf(file))?.toString()).toBe('abc');
    expect(await bytesOf(missing)).toBeUndefined();
    writeFileSync(join(directory, mediaPath(file.name)), 'abd');
    await expect(bytesOf(file)).rejects.toThrow(ExportRefused);
  });

  it('is refused if the directory has none, or one of another format', async () => {
    await expect(openExport(directory)).rejects.toThrow('holds no export');
    await expect(openExport(join(directory, 'nowhere'))).rejects.toThrow('holds no export');
    for (const text of ['', '{', 'null', '{"format":2}']) {
      writeFileSync(join(directory, manifestName), text);
      await expect(openExport(directory)).rejects.toThrow(ExportRefused);
    }
  });

  it('is refused as soon as a part turns out to differ from what was written', async () => {
    const [part] = written([events]).events.parts;
    const path = join(directory, part?.path ?? '');
    const text = readFileSync(path, 'utf8');
    const damages = [
      text.replace('"name', '"nome'),
      text.slice(0, -20),
      text.slice(0, -1),
      `${text}${text.split('\n')[0]}\n`,
      text.replace('"stream"', '"steam"'),
      text.replace('pinpoint-12', 'token-12'),
      '',
    ];
    for (const damaged of damages) {
      writeFileSync(path, damaged);
      const { events: read } = await openExport(directory);
      await expect(all(read())).rejects.toThrow(ExportRefused);
    }
    rmSync(path);
    await expect(all((await openExport(directory)).events())).rejects.toThrow(ExportRefused);
  });

  it('is continued where it ended, whatever was left unfinished', async () => {
    const { events: first } = written([events.slice(0, 4)]);
    appendFileSync(join(directory, 'events/000000000004.ndjson.incoming'), 'half');
    writeFileSync(join(directory, 'events/000000000004.ndjson'), 'complete, and nobody knows of it');
    const writer = createPartWriter(directory, 'events', first.parts);
    expect(readdirSync(join(directory, 'events'))).toEqual(['000000000000.ndjson']);
    for (const event of events.slice(4)) writer.add(event);
    expect(existsSync(join(directory, 'events/000000000004.ndjson'))).toBe(false);
    const parts = writer.finish();
    expect(parts.map(({ path, first: index, lines }) => [path, index, lines])).toEqual([
      ['events/000000000000.ndjson', 0, 4],
      ['events/000000000004.ndjson', 4, 6],
    ]);
  });
});

describe('the digest of a history', () => {
  const digestOf = (of: readonly RecordedEvent[]): string => {
    const digest = createEventDigest();
    for (const event of of) digest.add(event);
    return digest.value();
  };
  const [first, second] = events as [RecordedEvent, RecordedEvent];

  it('can be continued', () => {
    const whole = createEventDigest();
    for (const event of events) whole.add(event);
    const begun = createEventDigest();
    for (const event of events.slice(0, 4)) begun.add(event);
    const rest = createEventDigest({ count: begun.count(), value: begun.value() });
    for (const event of events.slice(4)) rest.add(event);
    expect([rest.count(), rest.value()]).toEqual([whole.count(), whole.value()]);
  });

  it('has an additional sum that does not depend on the order of events', () => {
    const sumOf = (of: readonly RecordedEvent[], from?: string): string => {
      const sum = eventSum(from);
      for (const event of of) sum.add(event);
      return sum.value();
    };
    expect(sumOf([...events].reverse())).toBe(sumOf(events));
    expect(sumOf(events.slice(3), sumOf(events.slice(0, 3)))).toBe(sumOf(events));
    expect(new Set([sumOf([]), sumOf([first]), sumOf([first, first]), sumOf([second]), sumOf([first, second])]).size).toBe(5);
  });

  it('is the same in another log, whatever the order in which a store returns properties', () => {
    const envelope = Object.fromEntries(Object.entries(first.envelope).reverse()) as RecordedEvent['envelope'];
    expect(digestOf([{ ...first, position: 77, envelope }])).toBe(digestOf([first]));
  });

  it('differs if anything in the events differs', () => {
    const others: RecordedEvent[] = [
      { ...first, stream: 'pinpoint-13' },
      { ...first, revision: 7 },
      { ...first, salt: null, content: null },
      { ...first, content: `${first.content} ` },
      { ...first, envelope: { ...first.envelope, time: '2026-06-01T08:00:00.001Z' } },
      { ...first, envelope: { ...first.envelope, cause: '' } },
    ];
    const digests = [[], [first], [first, first], [first, second], [second, first], ...others.map((other) => [other])].map(digestOf);
    expect(new Set(digests).size).toBe(digests.length);
  });
});

describe('an invalid export', () => {
  const rewritten = (change: (manifest: Manifest) => object): void => {
    const manifest = written([events, hostile], [file]);
    writeFileSync(join(directory, manifestName), JSON.stringify({ ...manifest, ...change(manifest) }));
  };
  const withPart = (change: object) => (manifest: Manifest) => ({
    events: { ...manifest.events, parts: manifest.events.parts.map((part, nth) => (nth === 1 ? { ...part, ...change } : part)) },
  });

  it.each<readonly [string, (manifest: Manifest) => object]>([
    ['a part elsewhere', withPart({ path: '../../events/000000000010.ndjson' })],
    ['a part by an absolute path', withPart({ path: '/etc/passwd' })],
    ['a part of another index', withPart({ first: 11 })],
    ['a part without a length', withPart({ bytes: '12' })],
    ['a part that is null', (manifest) => ({ events: { ...manifest.events, parts: [null] } })],
    ['another number of lines', (manifest) => ({ events: { ...manifest.events, count: 12 } })],
    ['files that are parts of events', (manifest) => ({ files: { ...manifest.files, parts: manifest.events.parts } })],
    ['no ids', () => ({ ids: null })],
    ['a negative count', (manifest) => ({ ids: { ...manifest.ids, list: -1 } })],
  ])('is refused because of its manifest: %s', async (_, change) => {
    rewritten(change);
    await expect(openExport(directory)).rejects.toThrow('is damaged');
  });

  it('is not read if the name of a file leads elsewhere', async () => {
    written([], [{ ...file, name: `../../${file.name}` }]);
    await expect(all((await openExport(directory)).files())).rejects.toThrow(ExportRefused);
  });

  it('is not read if a part, a file or a directory is a link', async () => {
    written([events], [file]);
    const outside = mkdtempSync(join(tmpdir(), 'waymark-outside-'));
    const moved = (path: string): void => {
      renameSync(join(directory, path), join(outside, path.replaceAll('/', '-')));
      symlinkSync(join(outside, path.replaceAll('/', '-')), join(directory, path));
    };
    mkdirSync(join(directory, 'media/ab'), { recursive: true });
    writeFileSync(join(directory, mediaPath(file.name)), 'abc');
    const exported = await openExport(directory);
    moved(mediaPath(file.name));
    await expect(exported.bytesOf(file)).rejects.toThrow(ExportRefused);
    moved('events/000000000000.ndjson');
    await expect(all(exported.events())).rejects.toThrow('is not a regular file');
    moved('files');
    await expect(all(exported.files())).rejects.toThrow('is not a directory');
    moved(manifestName);
    await expect(openExport(directory)).rejects.toThrow('is not a regular file');
    rmSync(outside, { recursive: true });
  });

  it('is not read further than the manifest states', async () => {
    written([events]);
    appendFileSync(join(directory, 'events/000000000000.ndjson'), 'x'.repeat(10_000_000));
    await expect(all((await openExport(directory)).events(9))).rejects.toThrow('is not what was exported');
  });
});
