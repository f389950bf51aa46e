import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createEventDigest } from '@waymark/transfer/digest.ts';
import { manifestName } from '@waymark/transfer/format.ts';
import { openExport } from '@waymark/transfer/reader.ts';
import { exportKilledAfter } from './export/export.ts';
import { atRest } from './installation.ts';
import { useCrashServers } from './test-servers.ts';

/** Marks an export that was killed before its first manifest. */
const nothing = -1;
/** More file system changes than an export makes. */
const changesMax = 200;
const fileMs = 300_000;

jest.setTimeout(fileMs);

const ground = useCrashServers('file');

/** Checks that the readable content of an export is exactly what its manifest lists.
 * @returns the number of events */
const expectWhole = async (directory: string): Promise<number> => {
  const { manifest, events, files, bytesOf } = await openExport(directory);
  const digest = createEventDigest();
  for await (const event of events()) digest.add(event);
  expect([digest.count(), digest.value()]).toEqual([manifest.events.count, manifest.events.digest]);
  for await (const file of files()) expect((await bytesOf(file))?.length).toBe(file.bytes);
  return digest.count();
};

describe('an export that is killed', () => {
  it('is complete up to its manifest and can be resumed, whenever it was killed', async () => {
    const { directory } = await atRest(ground, 'moving');
    const whole = await exportKilledAfter(directory, ground.directory());
    const came: number[] = [];
    for (let changes = 1; changes < changesMax; changes += 1) {
      const into = ground.directory();
      const done = await exportKilledAfter(directory, into, changes);
      came.push(existsSync(join(into, manifestName)) ? await expectWhole(into) : nothing);
      if (done !== undefined) break;
      expect(await exportKilledAfter(directory, into)).toMatchObject({
        ...whole,
        directory: into,
        newEvents: expect.any(Number),
        newFiles: expect.any(Number),
      });
      expect(await expectWhole(into)).toBe(whole?.events);
    }
    expect(came).toEqual([...came].sort((one, other) => one - other));
    expect(new Set(came).size).toBeGreaterThan(2);
    expect(came.at(-1)).toBe(whole?.events);
  });
});
