import { mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode, eventVersions } from '@waymark/domain/event-types.ts';
import { resourceStream } from '@waymark/domain/streams.ts';
import { sampleEvents, sampleFile } from '@waymark/domain/testing/samples.ts';
import { newEventId, seal } from '@waymark/event-log/seal.ts';
import { openSqliteEventLog, type SqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { openDiskMedia } from '@waymark/media/disk/media.ts';
import type { Media } from '@waymark/media/media.ts';
import { createImporter } from './import/import.ts';
import { pruneMedia } from './prune.ts';
import { someInstallation } from './testing/some-export.ts';
import { accountsIn } from './testing/some-target.ts';

const hourMs = 60 * 60 * 1_000;

let root: string;
let log: SqliteEventLog;
let media: Media;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'waymark-prune-'));
  log = await openSqliteEventLog({ file: join(root, 'log.db') });
  media = openDiskMedia({ directory: join(root, 'media') });
});
afterEach(async () => {
  await log.close();
  rmSync(root, { recursive: true });
});

const store = async (name: string, ageHours: number): Promise<string> => {
  await media.put(name, Buffer.from(name));
  const seconds = (Date.now() - ageHours * hourMs) / 1_000;
  utimesSync(join(root, 'media', name.slice(0, 2), name), seconds, seconds);
  return name;
};

const nameInLog = async (name: string): Promise<void> => {
  const { PinpointCreated: created } = sampleEvents;
  const content = encode({ ...created, account: 'a', pinpoint: 1, fields: { ...created.fields, media: { ...sampleFile, name } } });
  const origin = { actor: 'app', token: null, request: null };
  const [type, version] = [created.type, eventVersions[created.type]];
  await log.append(
    resourceStream('pinpoint', 1),
    [seal({ id: newEventId(), type, version, content, account: 'a', origin, sanitized: false })],
    'none',
  );
};

describe('pruning files', () => {
  it('removes only files that no event names and that are older than a day', async () => {
    const named = await store(`${'a'.repeat(32)}.png`, 1_000);
    const young = await store(`${'b'.repeat(32)}.png`, 23);
    const fresh = await store(`${'c'.repeat(32)}.png`, 0);
    const old = await store(`${'d'.repeat(32)}.png`, 25);
    await nameInLog(named);
    expect(await pruneMedia(log, media)).toEqual({ removed: 1, kept: 3, unfinishedImports: [] });
    const there = await Promise.all([named, young, fresh, old].map(async (name) => (await media.get(name)) !== undefined));
    expect(there).toEqual([true, true, true, false]);
  });

  it('keeps the names of erased files', async () => {
    const erased = await store(`${'e'.repeat(32)}.png`, 25);
    await media.erase(erased);
    utimesSync(join(root, 'media', 'ee', erased), 0, 0);
    expect(await pruneMedia(log, media)).toEqual({ removed: 0, kept: 0, unfinishedImports: [] });
    expect(await media.get(erased)).toBe('erased');
  });

  it('removes none while an import is unfinished, and removes them again once it has ended', async () => {
    await store(`${'d'.repeat(32)}.png`, 1_000);
    const source = someInstallation('source');
    const to = createImporter({ log, media });
    await to.begin('run', source.manifest({ final: true }));
    expect(await pruneMedia(log, media)).toEqual({ removed: 0, kept: 1, unfinishedImports: ['source'] });
    await to.end('run', source.manifest({ final: true }), accountsIn(source));
    expect(await pruneMedia(log, media)).toEqual({ removed: 1, kept: 0, unfinishedImports: [] });
  });
});
