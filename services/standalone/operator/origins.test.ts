import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appenderTo, fillLog } from '@waymark/checkpoints/testing/some-log.ts';
import { signerOf, someNotary } from '@waymark/checkpoints/testing/some-notary.ts';
import { openPlace } from '@waymark/checkpoints/urls.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { openSqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { checkLog } from './check-log.ts';

describe('verify', () => {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-origins-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  it('finds nothing in a renewed log whose notary has another key, and trusts that key where the first one announced it', async () => {
    const [file, published] = [join(directory, 'log.db'), join(directory, 'published')];
    mkdirSync(published);
    const log = await openSqliteEventLog({ file });
    try {
      const sign = someNotary(log, await openPlace(published));
      await fillLog(log, sign);
      await sign({ announces: 2 });
      const { installation, incarnation } = await log.state();
      const found = async (seed: number) =>
        checkLog(file, await log.state(), {
          openPlace: () => openPlace(published),
          keys: async () => [signerOf(installation, seed).verifierKey],
          firstWithinMs: 0,
        });
      await log.renewIncarnation(incarnation);
      expect((await found(1)).unchecked).toEqual([expect.stringContaining('is published yet')]);
      await appenderTo(log)('pinpoint-7', { ...sampleEvents.PinpointCreated, pinpoint: 7 });
      await sign({ seed: 2 });
      const key = signerOf(installation, 2).verifierKey;
      expect(await found(1)).toMatchObject({ faults: [], unchecked: [], checkpoint: { number: 1, key, compared: 1, younger: 0 } });
      expect((await found(3)).faults).toEqual([expect.stringMatching(/^Checkpoint 1 is not valid\. No trusted key has signed it/)]);
    } finally {
      await log.close();
    }
  });
});
