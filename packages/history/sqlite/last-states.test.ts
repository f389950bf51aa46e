import { NewerEvent } from '@waymark/domain/event-types.ts';
import { pinpointCreated } from '@waymark/read-models/testing/facts.ts';
import { histories } from '@waymark/read-models/testing/histories.ts';
import { applyAll, at, recorder } from '@waymark/read-models/testing/recorder.ts';
import { temporaryFiles } from '@waymark/read-models/testing/temporary-files.ts';
import fc from 'fast-check';
import { dump } from '../testing/dump.ts';
import { openSqliteHistory, type SqliteHistory } from './history.ts';

const newFile = temporaryFiles();

const using = async (file: string, use: (history: SqliteHistory) => Promise<unknown>): Promise<void> => {
  const history = openSqliteHistory(file);
  await use(history);
  await history.close();
};

/** Applies each batch to a file that was opened for it. */
const reopened =
  (file: string): SqliteHistory['apply'] =>
  async (...batch) => {
    let isApplied = false;
    await using(file, async ({ apply }) => {
      isApplied = await apply(...batch);
    });
    return isApplied;
  };

describe('the last states of objects', () => {
  it('make the same rows as those that are read from the file', async () => {
    await fc.assert(
      fc.asyncProperty(histories({ maxLength: 60 }), fc.integer({ min: 1, max: 20 }), async ({ events }, size) => {
        const [kept, read] = [newFile(), newFile()];
        await using(kept, ({ apply }) => applyAll(apply, events, [size]));
        await applyAll(reopened(read), events, [size]);
        expect(dump(kept)).toEqual(dump(read));
      }),
      { numRuns: 40 },
    );
  });

  it('are forgotten with a batch that is rolled back', async () => {
    const { record } = recorder();
    const created = record('account-a', pinpointCreated(1));
    const moved = record('account-a', { type: 'PinpointEdited', pinpoint: 1, fields: { latitude: 10 } });
    const newer = { ...moved, envelope: { ...moved.envelope, version: 99 } };
    const [tried, expected] = [newFile(), newFile()];
    await using(tried, async ({ apply }) => {
      await applyAll(apply, [created]);
      await expect(apply(0, created.position, [moved, newer], at(moved))).rejects.toThrow(NewerEvent);
      await apply(0, created.position, [moved], at(moved));
    });
    await using(expected, ({ apply }) => applyAll(apply, [created, moved], [1]));
    expect(dump(tried)).toEqual(dump(expected));
  });
});
