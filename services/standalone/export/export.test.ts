import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { encode, eventVersions } from '@waymark/domain/event-types.ts';
import { allocatorStream, applicationStream, requestStream, resourceStream } from '@waymark/domain/streams.ts';
import { sampleEvents, sampleFile } from '@waymark/domain/testing/samples.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { newEventId, seal } from '@waymark/event-log/seal.ts';
import { openSqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { openDiskMedia } from '@waymark/media/disk/media.ts';
import { createEventDigest } from '@waymark/transfer/digest.ts';
import { ExportRefused } from '@waymark/transfer/format.ts';
import { openExport } from '@waymark/transfer/reader.ts';
import SQLite from 'better-sqlite3';
import { BackupRefused } from '../backup/manifest.ts';
import { type DataDirectory, ownDataDirectory } from '../data-directory/data-directory.ts';
import { exportInto } from './export.ts';

/** Every export starts a thread, which may take long on a busy machine. */
let root: string;
let from: DataDirectory;
let log: Awaited<ReturnType<typeof openSqliteEventLog>>;
let into: string;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'waymark-export-'));
  from = ownDataDirectory(join(root, 'data'));
  log = await openSqliteEventLog({ file: from.log });
  into = join(root, 'moving', 'out');
});
afterEach(async () => {
  await log.close();
  from.release();
  rmSync(root, { recursive: true });
});

const sealed = (type: string, version: number, content: string) =>
  seal({
    id: newEventId(),
    type,
    version,
    content,
    account: 'acme',
    origin: { actor: 'app', token: null, request: null },
    sanitized: false,
  });

const record = async (to: EventLog, stream: string, ...facts: readonly DomainEvent[]): Promise<void> => {
  const [expected = 'none'] = await to.lastRevisions([stream]);
  await to.append(
    stream,
    facts.map((fact) => sealed(fact.type, eventVersions[fact.type], encode(fact))),
    expected,
  );
};

const housekeep = (stream: string, content: object) => log.append(stream, [sealed('Kept', 1, JSON.stringify(content))], 'none');

const names = Array.from({ length: 4 }, (_, index) => `${index}${sampleFile.name.slice(1)}`);
const withFile = (name: string | undefined) => ({ ...sampleFile, name: name ?? '' });

/** Appends pinpoints with pictures, an application, and housekeeping events between them. */
const settle = async (): Promise<void> => {
  const media = openDiskMedia({ directory: from.media });
  const { PinpointCreated: created, PinpointEdited: edited, ApplicationRegistered: registered } = sampleEvents;
  await record(log, applicationStream('app'), { ...registered, account: 'acme', application: 'app' });
  await housekeep(allocatorStream('pinpoint'), { through: 1_000 });
  for (const [id, name] of names.entries()) {
    await media.put(name, Buffer.from(name));
    const fields = { ...created.fields, media: withFile(name) };
    const [account, pinpoint] = ['acme', id + 1];
    await record(log, resourceStream('pinpoint', pinpoint), { ...created, account, pinpoint, fields }, { ...edited, pinpoint, fields });
    await housekeep(requestStream(`${id}`), {});
  }
};

const exported = async () => {
  const { manifest, events, files, bytesOf } = await openExport(into);
  const digest = createEventDigest();
  const history: RecordedEvent[] = [];
  for await (const event of events()) {
    history.push(event);
    digest.add(event);
  }
  const media: Record<string, string | undefined> = {};
  for await (const file of files()) media[file.name] = (await bytesOf(file))?.toString();
  expect([manifest.events.count, manifest.events.digest]).toEqual([history.length, digest.value()]);
  expect(manifest.files.count).toBe(Object.keys(media).length);
  return { manifest, history, media };
};

const allOf = (stream: string): Promise<readonly RecordedEvent[]> => log.read(stream, 0);

describe('an export of an installation', () => {
  it('holds its history in order, its files, and the assigned ids', async () => {
    await settle();
    const done = await exportInto(from, into, false);
    const { manifest, history, media } = await exported();
    expect(done).toMatchObject({ events: 9, newEvents: 9, files: 4, newFiles: 4, missingFiles: 0, final: false });
    expect(history.map(({ position }) => position)).toEqual([...history.map(({ position }) => position)].sort((one, other) => one - other));
    expect(history[0]).toEqual((await allOf(applicationStream('app')))[0]);
    expect(history.slice(-2)).toEqual(await allOf(resourceStream('pinpoint', 4)));
    expect(media).toEqual(Object.fromEntries(names.map((name) => [name, name])));
    expect(manifest).toMatchObject({
      incarnation: (await log.state()).incarnation,
      position: (await log.state()).head,
      ids: { pinpoint: 1_000, list: 0, category: 0, happening: 0 },
      events: { streams: { application: 1, pinpoint: 4 }, forgotten: 0 },
    });
  });

  it('is readable by its owner only', async () => {
    await settle();
    await exportInto(from, into, false);
    const modes = readdirSync(into, { recursive: true, withFileTypes: true }).map((entry) => [
      entry.isDirectory(),
      (statSync(join(entry.parentPath, entry.name)).mode & 0o777).toString(8),
    ]);
    for (const [isDirectory, mode] of modes) expect(mode).toBe(isDirectory ? '700' : '600');
  });

  it('has parts of limited size, and the next run continues it and adds only what is new', async () => {
    await settle();
    await exportInto(from, into, false, 2_000);
    const before = await exported();
    expect(before.manifest.events.parts.length).toBeGreaterThan(2);
    expect(await exportInto(from, into, false)).toMatchObject({ events: 9, newEvents: 0, newFiles: 0 });
    await record(log, resourceStream('pinpoint', 1), sampleEvents.PinpointDeleted);
    expect(await exportInto(from, into, true)).toMatchObject({ events: 10, newEvents: 1, files: 4, newFiles: 0, final: true });

    const after = await exported();
    expect(after.history.slice(0, 9)).toEqual(before.history);
    expect(after.manifest.events.parts.slice(0, -1)).toEqual(before.manifest.events.parts);
    expect(after.manifest.final).toBe(true);
    await exportInto(from, into, false);
    expect((await exported()).manifest.final).toBe(false);
  });

  it('of an empty installation is empty', async () => {
    expect(await exportInto(from, into, true)).toMatchObject({ events: 0, files: 0, position: 0, final: true });
    expect((await exported()).history).toEqual([]);
  });

  it('counts the named files that are missing', async () => {
    await settle();
    await openDiskMedia({ directory: from.media }).remove(names[2] ?? '');
    expect(await exportInto(from, into, false)).toMatchObject({ files: 4, missingFiles: 1 });
    expect((await exported()).media[names[2] ?? '']).toBeUndefined();
  });

  it('holds erased events as envelopes', async () => {
    await settle();
    erase(from.log, resourceStream('pinpoint', 2));
    await exportInto(from, into, false);
    const { manifest, history } = await exported();
    expect(manifest.events.forgotten).toBe(2);
    const erased = history.filter(({ stream }) => stream === resourceStream('pinpoint', 2));
    expect(erased).toMatchObject([
      { revision: 0, salt: null, content: null },
      { revision: 1, salt: null, content: null },
    ]);
  });
});

describe('an export is refused', () => {
  it('if the directory holds other files, which stay unchanged', async () => {
    mkdirSync(join(into, 'events'), { recursive: true });
    writeFileSync(join(into, 'events', 'mine.txt'), 'mine');
    await expect(exportInto(from, into, false)).rejects.toThrow('is not empty, and holds no export');
    expect(readFileSync(join(into, 'events', 'mine.txt'), 'utf8')).toBe('mine');
    writeFileSync(join(root, 'file'), '');
    await expect(exportInto(from, join(root, 'file'), false)).rejects.toThrow(BackupRefused);
  });

  it.each(['events', 'files', 'media', `media/${names[0]?.slice(0, 2)}`])(
    'if %s is a link, and the target of the link stays unchanged',
    async (folder) => {
      await settle();
      await exportInto(from, into, false);
      const outside = join(root, 'outside');
      mkdirSync(outside);
      writeFileSync(join(outside, 'letter.txt'), 'mine');
      rmSync(join(into, folder), { recursive: true });
      symlinkSync(outside, join(into, folder));
      await expect(exportInto(from, into, false)).rejects.toThrow(ExportRefused);
      expect([readdirSync(outside), readFileSync(join(outside, 'letter.txt'), 'utf8')]).toEqual([['letter.txt'], 'mine']);
    },
  );

  it('if the directory holds the export of another log', async () => {
    await settle();
    await exportInto(from, into, false);
    const other = ownDataDirectory(join(root, 'other'));
    await (await openSqliteEventLog({ file: other.log })).close();
    await expect(exportInto(other, into, false)).rejects.toThrow('the export of another log');
    other.release();
  });

  it('if an exported file was changed', async () => {
    await settle();
    await exportInto(from, into, false);
    for (const path of ['events/000000000000.ndjson', 'files/000000000000.ndjson', `media/${names[0]?.slice(0, 2)}/${names[0]}`]) {
      const file = join(into, path);
      const written = readFileSync(file);
      writeFileSync(file, written.subarray(1));
      await expect(exportInto(from, into, false)).rejects.toThrow(ExportRefused);
      writeFileSync(file, written);
      await exportInto(from, into, false);
    }
  });

  it('if the log has erased exported events since', async () => {
    await settle();
    await exportInto(from, into, false);
    erase(from.log, resourceStream('pinpoint', 2));
    await expect(exportInto(from, into, false)).rejects.toThrow('export it again');
  });
});

const erase = (file: string, stream: string): void => {
  const db = new SQLite(file);
  db.prepare('update event set salt = null, content = null where stream = ?').run(stream);
  db.close();
};
