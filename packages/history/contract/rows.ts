import { erasures } from '@waymark/read-models/testing/erasures.ts';
import { histories } from '@waymark/read-models/testing/histories.ts';
import { interleavings } from '@waymark/read-models/testing/interleavings.ts';
import fc from 'fast-check';
import { type HistoryAdapter, propertiesTimeoutMs, rowsOf, searchOf } from '../testing/subject.ts';

/** The contract for the rows that any history leaves in a store. */
export const rowsContract = ({ open, runs }: HistoryAdapter) => {
  it(
    'has the same rows after an erasure as one that was built after it, wherever it first meets erased events',
    async () => {
      const sizes = fc.integer({ min: 1, max: 40 });
      await fc.assert(
        fc.asyncProperty(erasures({ minLength: 10, maxLength: 80 }), fc.nat({ max: 200 }), sizes, async ({ written, left }, from, size) => {
          const rebuilt = await rowsOf(open, left);
          expect(await rowsOf(open, written, [size])).toEqual(rebuilt);
          expect(await rowsOf(open, [...written.slice(0, from), ...left.slice(from)], [size])).toEqual(rebuilt);
        }),
        searchOf({ runs }),
      );
    },
    propertiesTimeoutMs,
  );

  it.each([
    ['', histories],
    [', of events that refer to pinpoints which are created later', interleavings],
  ])(
    'has the same rows for every size of the batches%s',
    async (_, logs) => {
      const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(logs({ maxLength: 80 }), sizes, async ({ events }, batches) => {
          const oneByOne = await rowsOf(open, events, [1]);
          expect(await rowsOf(open, events, batches)).toEqual(oneByOne);
          expect(await rowsOf(open, events)).toEqual(oneByOne);
        }),
        searchOf({ runs }),
      );
    },
    propertiesTimeoutMs,
  );
};
