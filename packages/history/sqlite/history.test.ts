import type { RecordedEvent } from '@waymark/domain/event.ts';
import { erasures } from '@waymark/read-models/testing/erasures.ts';
import { histories } from '@waymark/read-models/testing/histories.ts';
import { applyAll } from '@waymark/read-models/testing/recorder.ts';
import { temporaryFiles } from '@waymark/read-models/testing/temporary-files.ts';
import fc from 'fast-check';
import { dump } from '../testing/dump.ts';
import { openSqliteHistory } from './history.ts';

const newFile = temporaryFiles();

/** Returns the rows of a history of some events, once it is cleaned. */
const rowsOf = async (events: readonly RecordedEvent[], sizes?: readonly number[]): Promise<readonly string[]> => {
  const file = newFile();
  const history = openSqliteHistory(file);
  await applyAll(history.apply, events, sizes);
  while (await history.clean());
  history.close();
  return dump(file);
};

describe('A history in SQLite', () => {
  it('is the same after an erasure as one that was built after it, wherever it first meets erased events', async () => {
    await fc.assert(
      fc.asyncProperty(erasures({ minLength: 10, maxLength: 80 }), fc.nat({ max: 200 }), async ({ written, left }, from) => {
        const rebuilt = await rowsOf(left);
        expect(await rowsOf(written)).toEqual(rebuilt);
        expect(await rowsOf([...written.slice(0, from), ...left.slice(from)])).toEqual(rebuilt);
      }),
      { numRuns: 60 },
    );
  });

  it('is the same for every size of the batches', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(histories({ maxLength: 60 }), sizes, async ({ events }, batches) => {
        expect(await rowsOf(events, batches)).toEqual(await rowsOf(events));
      }),
      { numRuns: 50 },
    );
  });
});
