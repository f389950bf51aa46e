import type { RecordedEvent } from '@waymark/domain/event.ts';
import { histories } from '@waymark/read-models/testing/histories.ts';
import { applyAll } from '@waymark/read-models/testing/recorder.ts';
import { temporaryFiles } from '@waymark/read-models/testing/temporary-files.ts';
import fc from 'fast-check';
import type { HistoryReads } from '../history.ts';
import { openSqliteHistory } from '../sqlite/history.ts';
import { expectedLines } from '../testing/expected-lines.ts';
import type { SearchLimits } from './lines.ts';
import { objectHistory } from './object-history.ts';

const newFile = temporaryFiles();

/** Returns what `use` reads from a history of some events. */
const readFrom = async <Value>(events: readonly RecordedEvent[], use: (reads: HistoryReads) => Promise<Value>): Promise<Value> => {
  const history = openSqliteHistory(newFile());
  await applyAll(history.apply, events);
  const value = await history.read(use);
  await history.close();
  return value;
};

type Item = { readonly id: string; readonly action: string };

type Walk = { readonly limit: number; readonly limits?: SearchLimits };

/** Returns the whole history of an object, page by page, newest first. */
const walk = async (reads: HistoryReads, account: string, stream: string, { limit, limits }: Walk): Promise<readonly Item[]> => {
  const items: Item[] = [];
  for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null; ) {
    const reply = await objectHistory(reads, { type: 'history', account, stream, base: '', before, limit }, limits);
    if (reply.outcome !== 'page') throw new Error(reply.outcome);
    items.push(...reply.items.map((text) => JSON.parse(text) as Item));
    before = reply.next;
  }
  return items;
};

/** Compares the whole history of each object with the expected one. */
const expectAllLines = async (events: readonly RecordedEvent[], how: Walk): Promise<void> => {
  const expected = expectedLines(events);
  await readFrom(events, async (reads) => {
    for (const [stream, lines] of expected) {
      const account = events.find((event) => event.stream === stream)?.envelope.account ?? '';
      const items = await walk(reads, account, stream, how);
      expect([stream, items.map(({ id, action }) => ({ id, action }))]).toEqual([stream, lines.toReversed()]);
    }
  });
};

describe("an object's history", () => {
  const samples = histories({ minLength: 20, maxLength: 120 });

  it('has every event once, in order, and each consequence where it belongs', async () => {
    await fc.assert(
      fc.asyncProperty(samples, fc.integer({ min: 1, max: 7 }), ({ events }, limit) => expectAllLines(events, { limit })),
      { numRuns: 100, endOnFailure: true },
    );
  });

  it('has the same of a pinpoint that was in too many lists to look into each, even if a page ends early', async () => {
    const reads = fc.integer({ min: 1, max: 20 });
    await fc.assert(
      fc.asyncProperty(samples, reads, reads, fc.integer({ min: 1, max: 7 }), ({ events }, entryReads, entries, limit) =>
        expectAllLines(events, { limit, limits: { setReads: 1, entryReads, entries } }),
      ),
      { numRuns: 100, endOnFailure: true },
    );
  });
});
