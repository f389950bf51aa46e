import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExportRefused, exportFormat, type Manifest } from './format.ts';
import { checkParts, writeManifest } from './manifest.ts';
import { openExport } from './reader.ts';
import { createPartWriter } from './writer.ts';

const names = [`${'ab'.repeat(16)}.png`, `${'cd'.repeat(16)}.jpg`];

describe('The marks of an export', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'waymark-marks-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const write = (marks: Pick<Manifest, 'marks'>): void =>
    writeManifest(directory, {
      format: exportFormat,
      release: '0.3.0',
      incarnation: 'i',
      time: '2026-01-01T00:00:00.000Z',
      position: 0,
      final: false,
      events: { count: 0, digest: '0'.repeat(64), forgotten: 0, streams: {}, parts: [] },
      files: { count: 0, bytes: 0, missing: 0, parts: [] },
      ...marks,
      ids: { pinpoint: 0, list: 0, category: 0, happening: 0 },
    });

  const marks = async (): Promise<readonly string[]> => {
    const found: string[] = [];
    for await (const name of (await openExport(directory)).marks()) found.push(name);
    return found;
  };

  it('are the names of erased files', async () => {
    const parts = createPartWriter(directory, 'marks', []);
    for (const name of names) parts.add({ name });
    write({ marks: { count: names.length, parts: parts.finish() } });
    expect(await marks()).toEqual(names);
    const { manifest } = await openExport(directory);
    await checkParts(directory, manifest);
    appendFileSync(join(directory, 'marks/000000000000.ndjson'), '{"name":"../keys.json"}\n');
    await expect(marks()).rejects.toThrow(ExportRefused);
    await expect(checkParts(directory, manifest)).rejects.toThrow(ExportRefused);
  });

  it('are none in an export without erased files, and in one of an earlier release', async () => {
    write({});
    expect(await marks()).toEqual([]);
  });

  it('are names of files and nothing else', async () => {
    const parts = createPartWriter(directory, 'marks', []);
    parts.add({ name: '../keys.json' });
    write({ marks: { count: 1, parts: parts.finish() } });
    await expect(marks()).rejects.toThrow(ExportRefused);
  });
});
