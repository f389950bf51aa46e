import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resourceStream } from '@waymark/domain/streams.ts';
import { sampleEvents, sampleFile } from '@waymark/domain/testing/samples.ts';
import { operators, sealFact } from '@waymark/event-log/seal.ts';
import { openSqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { openDiskMedia } from '@waymark/media/disk/media.ts';
import { ExportRefused } from '@waymark/transfer/format.ts';
import { openExport } from '@waymark/transfer/reader.ts';
import { type DataDirectory, ownDataDirectory } from '../data-directory/data-directory.ts';
import { exportInto } from './export.ts';

const [one, other] = ['e', 'f'].map((digit) => `${digit.repeat(32)}.png`) as [string, string];

describe('An export of an installation with erased files', () => {
  let root: string;
  let from: DataDirectory;
  let log: Awaited<ReturnType<typeof openSqliteEventLog>>;
  let into: string;
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'waymark-export-'));
    from = ownDataDirectory(join(root, 'data'));
    log = await openSqliteEventLog({ file: from.log });
    into = join(root, 'out');
  });
  afterEach(async () => {
    await log.close();
    from.release();
    rmSync(root, { recursive: true });
  });

  const media = () => openDiskMedia({ directory: from.media });
  const marks = async (): Promise<readonly string[]> => {
    const found: string[] = [];
    for await (const name of (await openExport(into)).marks()) found.push(name);
    return found.sort();
  };

  it('has their names, once each, also of those that were erased since the last run', async () => {
    await media().put(other, Buffer.from('other'));
    await exportInto(from, into, false);
    expect((await openExport(into)).manifest.marks).toBeUndefined();
    await media().erase(one);
    for (let time = 0; time < 2; time += 1) await exportInto(from, into, false);
    expect(await marks()).toEqual([one]);
    await media().erase(other);
    await exportInto(from, into, true);
    expect(await marks()).toEqual([one, other]);
    expect((await openExport(into)).manifest.marks).toMatchObject({ count: 2, parts: [{ lines: 1 }, { lines: 1 }] });
  });

  it('does not have the name of a file that was erased after it was exported', async () => {
    const { PinpointCreated } = sampleEvents;
    const fact = { ...PinpointCreated, fields: { ...PinpointCreated.fields, media: { ...sampleFile, name: one } } };
    await media().put(one, Buffer.from('one'));
    const event = sealFact(fact, { account: PinpointCreated.account, origin: operators });
    await log.append(resourceStream('pinpoint', PinpointCreated.pinpoint), [event], 'none');
    await exportInto(from, into, false);
    for (const name of [one, other]) await media().erase(name);
    expect(await exportInto(from, into, false)).toMatchObject({ files: 1, missingFiles: 0 });
    expect(await marks()).toEqual([other]);
  });

  it('is refused if the names of an earlier run were changed', async () => {
    await media().erase(one);
    await exportInto(from, into, false);
    writeFileSync(join(into, 'marks/000000000000.ndjson'), `{"name":"${other}"}\n`);
    await expect(exportInto(from, into, false)).rejects.toThrow(ExportRefused);
  });
});
