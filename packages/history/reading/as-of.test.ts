import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { PageQuery } from '@waymark/domain/pages.ts';
import { resourceStream } from '@waymark/domain/streams.ts';
import { erasures } from '@waymark/read-models/testing/erasures.ts';
import { accounts, histories } from '@waymark/read-models/testing/histories.ts';
import { applyAll } from '@waymark/read-models/testing/recorder.ts';
import { temporaryFiles } from '@waymark/read-models/testing/temporary-files.ts';
import fc from 'fast-check';
import type { HistoryReads } from '../history.ts';
import { openSqliteHistory } from '../sqlite/history.ts';
import { asOfReader, everything, everythingOfAll, recordLive } from '../testing/walks.ts';

const newFile = temporaryFiles();

const momentsOf = (events: readonly RecordedEvent[], picks: readonly number[]): ReadonlySet<number> =>
  new Set(picks.map((pick) => pick % Math.max(1, events.length)));

describe('reads as of a moment', () => {
  it('are the live reads of that moment, byte for byte, page by page', async () => {
    const picks = fc.array(fc.nat({ max: 1_000 }), { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        histories({ minLength: 30, maxLength: 150 }),
        picks,
        fc.integer({ min: 1, max: 4 }),
        async ({ events }, some, limit) => {
          const live = await recordLive(newFile(), events, momentsOf(events, some), everythingOfAll(limit));
          const history = openSqliteHistory(newFile());
          await applyAll(history.apply, events);
          await history.read(async (reads) => {
            for (const [position, seen] of live) {
              for (const [index, account] of accounts.entries()) {
                expect(await everything(asOfReader(reads, position), account, limit)).toEqual(seen[index]);
              }
            }
          });
          await history.close();
        },
      ),
      { numRuns: 40, endOnFailure: true },
    );
  });

  it('after an erasure are the live reads without what was erased', async () => {
    const picks = fc.array(fc.nat({ max: 1_000 }), { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(erasures({ minLength: 30, maxLength: 100 }), picks, async ({ written, left }, some) => {
        const live = await recordLive(newFile(), written, momentsOf(written, some), everythingOfAll(3));
        const history = openSqliteHistory(newFile());
        await applyAll(history.apply, left);
        await history.read(async (reads) => {
          for (const [position, seen] of live) {
            for (const [index, account] of accounts.entries()) {
              const past = await everything(asOfReader(reads, position), account, 3);
              for (const [query, texts] of Object.entries(seen[index] ?? {})) {
                const kept = await unerased(reads, query, texts, position);
                expect([query, past[query]]).toEqual([query, kept]);
              }
            }
          }
        });
        await history.close();
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });
});

/** Returns the texts of a live walk without those that were erased after the moment. */
const unerased = async (reads: HistoryReads, query: string, texts: readonly string[], position: number): Promise<readonly string[]> => {
  const { kind, within } = JSON.parse(query) as Pick<PageQuery, 'kind' | 'within'>;
  const isErased = async (stream: string): Promise<boolean> => {
    const mark = await reads.erased(stream);
    const entry = (await reads.lastEntries([stream], position)).get(stream);
    return mark !== undefined && entry !== undefined && entry.revision < mark.revision;
  };
  if (kind === 'pinpoint' && within !== null && (await isErased(resourceStream('list', within)))) return [];
  const kept = await Promise.all(texts.map(async (text) => !(await isErased(resourceStream(kind, JSON.parse(text).id)))));
  return texts.filter((_, index) => kept[index]);
};
