import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { applyAll, recorder } from '@waymark/read-models/testing/recorder.ts';
import { temporaryFiles } from '@waymark/read-models/testing/temporary-files.ts';
import { accountSet } from '../sets.ts';
import { openSqliteHistory } from './history.ts';

const newFile = temporaryFiles();
const account = 'account-a';
const set = accountSet(account, 'pinpoint');

describe('the items of a set at a position', () => {
  it('are found without a look at each of many that were deleted before, or created later', async () => {
    const { record } = recorder();
    const { fields } = sampleEvents.PinpointCreated;
    const ids = Array.from({ length: 70_000 }, (_, index) => index + 1);
    const created = ids.map((pinpoint) => record(account, { type: 'PinpointCreated', account, pinpoint, fields }));
    const deleted = ids.slice(0, -3).map((pinpoint) => record(account, { type: 'PinpointDeleted', pinpoint }));
    const history = openSqliteHistory(newFile());
    await applyAll(history.apply, [...created, ...deleted], [5_000]);
    await history.read(async (reads) => {
      const at = deleted.at(-1)?.position ?? 0;
      const after = await reads.itemsAt(set, { at, beyond: 0, direction: 'forward', items: 20, reads: 50_000 });
      expect(after.items.map(({ item }) => item)).toEqual(ids.slice(-3));
      expect(after.reads).toBeLessThan(1_000);
      const early = created[19]?.position ?? 0;
      const before = await reads.itemsAt(set, { at: early, beyond: 0, direction: 'forward', items: 21, reads: 50_000 });
      expect(before.items.map(({ item }) => item)).toEqual(ids.slice(0, 20));
      expect(before.reads).toBeLessThan(1_000);
    });
    await history.close();
  });
});
